import kafkajs, { type PartitionAssigner } from 'kafkajs';

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;
const NAME = 'TollgateSubscriptionAssigner';
const VERSION = 1;

/**
 * Assigns each partition to a member that subscribed to its topic, the one with the fewest partitions so far. kafkajs's own assigner only
 * considers the topics of the group's leader: during a rollout in which the new release has an additional topic, it would assign that
 * topic's partitions to members that do not read them, or to none.
 */
export const subscriptionAssigner: PartitionAssigner = ({ cluster }) => ({
  name: NAME,
  version: VERSION,

  async assign({ members }) {
    const subscriptions = members.map(({ memberId, memberMetadata }) => ({
      memberId,
      topics: new Set(MemberMetadata.decode(memberMetadata)?.topics ?? []),
      assignment: {} as Record<string, number[]>,
      count: 0,
    }));
    const topics = [...new Set(subscriptions.flatMap((member) => [...member.topics]))].sort();
    await cluster.addMultipleTargetTopics(topics);
    for (const topic of topics) {
      const candidates = subscriptions
        .filter((member) => member.topics.has(topic))
        .sort((a, b) => (a.memberId < b.memberId ? -1 : 1));
      for (const { partitionId } of cluster.findTopicPartitionMetadata(topic)) {
        const [first, ...others] = candidates;
        if (!first) continue;
        const assignee = others.reduce((least, member) => (member.count < least.count ? member : least), first);
        (assignee.assignment[topic] ??= []).push(partitionId);
        assignee.count += 1;
      }
    }
    return subscriptions.map(({ memberId, assignment }) => ({
      memberId,
      memberAssignment: MemberAssignment.encode({ version: VERSION, assignment, userData: Buffer.alloc(0) }),
    }));
  },

  protocol({ topics }) {
    return { name: NAME, metadata: MemberMetadata.encode({ version: VERSION, topics, userData: Buffer.alloc(0) }) };
  },
});
