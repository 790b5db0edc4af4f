export { openClickhouse } from './clickhouse/clickhouse-columns.js';
export { kafkaEventLog, lateOnKafka, unreadOnKafka } from './kafka/kafka-backlog.js';
export { KafkaEventLog } from './kafka/kafka-event-log.js';
export { readKafkaSpan, readKafkaTopic, requireNoReaders, rewindKafka } from './kafka/kafka-topic-reader.js';
export { RedisKeyValue } from './redis/redis-key-value.js';
