/** Subscribe to it to hear of evaluations that got worse; those with a `webhook` of their own report there too. */
export const driftTopic = new sst.aws.SnsTopic("Drift");

/**
 * Asynchronous invocations that Lambda gave up on. Each message is the event itself: to redrive one, send its
 * `evaluationId` to `POST /evaluations/{id}/retry`, which opens a round of the runs that are missing, and delete it.
 */
export const failureQueue = new sst.aws.Queue("Failures", {
  transform: {
    queue: (args) => {
      args.messageRetentionSeconds = 14 * 24 * 60 * 60;
    },
  },
});
