import { PublishCommand, type SNSClient } from "@aws-sdk/client-sns";
import type { SendAlarm } from "../tell-drift.ts";

/** What an e-mail's subject may be at most. */
const LONGEST_SUBJECT = 100;

/** Publishes to a topic, whose subscribers hear of it by e-mail, chat or HTTPS. */
export const topicSender =
  (client: SNSClient, topic: string): SendAlarm =>
  async (alarm) => {
    const Subject = `${alarm.name} got worse`.replace(/[^\x20-\x7e]/g, "?").slice(0, LONGEST_SUBJECT);
    try {
      await client.send(new PublishCommand({ TopicArn: topic, Subject, Message: JSON.stringify(alarm) }));
      return null;
    } catch (error) {
      const why = error instanceof Error ? error.name : "no answer";
      return `the topic ${topic} did not take the alarm (${why}); nobody may have been told`;
    }
  };
