/** Subscribe to it to hear of evaluations that got worse; a webhook is a subscription of its own. */
export const driftTopic = new sst.aws.SnsTopic("Drift");
