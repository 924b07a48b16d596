/** Subscribe to it to hear of evaluations that got worse; those with a `webhook` of their own tell that too. */
export const driftTopic = new sst.aws.SnsTopic("Drift");
