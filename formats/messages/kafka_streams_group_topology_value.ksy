meta:
  id: kafka_streams_group_topology_value
  -orig-id: StreamsGroupTopologyValue
  -versions: 0-0
  title: Apache Kafka streams group topology value
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: Topology that a streams group runs.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/StreamsGroupTopologyValue.json StreamsGroupTopologyValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: epoch
    -orig-id: Epoch
    type: s4
    doc: Epoch of the topology
  - id: num_subtopologies
    type: kafka_array_length(true, false)
    doc: Number of `subtopologies`
  - id: subtopologies
    -orig-id: Subtopologies
    type: subtopology
    repeat: expr
    repeat-expr: num_subtopologies.value
    doc: Parts of the topology
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  subtopology:
    doc: |
      Part of a topology that shares no state with the others; it has a task for
      each partition number of the topics that it reads
    seq:
      - id: subtopology_id
        -orig-id: SubtopologyId
        type: kafka_string(true, false)
        doc: Id of the part of the topology
      - id: num_source_topics
        type: kafka_array_length(true, false)
        doc: Number of `source_topics`
      - id: source_topics
        -orig-id: SourceTopics
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_source_topics.value
        doc: Topics that are read
      - id: num_source_topic_regex
        type: kafka_array_length(true, false)
        doc: Number of `source_topic_regex`
      - id: source_topic_regex
        -orig-id: SourceTopicRegex
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_source_topic_regex.value
        doc: Regular expressions for topics that are read
      - id: num_state_changelog_topics
        type: kafka_array_length(true, false)
        doc: Number of `state_changelog_topics`
      - id: state_changelog_topics
        -orig-id: StateChangelogTopics
        type: topic_info
        repeat: expr
        repeat-expr: num_state_changelog_topics.value
        doc: Internal topics that keep its state
      - id: num_repartition_sink_topics
        type: kafka_array_length(true, false)
        doc: Number of `repartition_sink_topics`
      - id: repartition_sink_topics
        -orig-id: RepartitionSinkTopics
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_repartition_sink_topics.value
        doc: Internal topics that it writes
      - id: num_repartition_source_topics
        type: kafka_array_length(true, false)
        doc: Number of `repartition_source_topics`
      - id: repartition_source_topics
        -orig-id: RepartitionSourceTopics
        type: topic_info
        repeat: expr
        repeat-expr: num_repartition_source_topics.value
        doc: Internal topics that it reads
      - id: num_copartition_groups
        type: kafka_array_length(true, false)
        doc: Number of `copartition_groups`
      - id: copartition_groups
        -orig-id: CopartitionGroups
        type: copartition_group
        repeat: expr
        repeat-expr: num_copartition_groups.value
        doc: Which of the topics must have the same number of partitions
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topic_info:
    doc: A topic
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        doc: Name of the topic
      - id: partitions
        -orig-id: Partitions
        type: s4
        doc: Number of partitions; 0 if the broker decides
      - id: replication_factor
        -orig-id: ReplicationFactor
        type: s2
        doc: Number of replicas; 0 for the cluster's default
      - id: num_topic_configs
        type: kafka_array_length(true, false)
        doc: Number of `topic_configs`
      - id: topic_configs
        -orig-id: TopicConfigs
        type: topic_config
        repeat: expr
        repeat-expr: num_topic_configs.value
        doc: Configurations of the topic
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topic_config:
    doc: A configuration of a topic
    seq:
      - id: key
        type: kafka_string(true, false)
        doc: Name of the configuration
      - id: value
        type: kafka_string(true, false)
        doc: Its value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  copartition_group:
    doc: |
      Topics that must have the same number of partitions, by their places in
      the lists of the part
    seq:
      - id: num_source_topics
        type: kafka_array_length(true, false)
        doc: Number of `source_topics`
      - id: source_topics
        -orig-id: SourceTopics
        type: s2
        repeat: expr
        repeat-expr: num_source_topics.value
        doc: Topics that are read
      - id: num_source_topic_regex
        type: kafka_array_length(true, false)
        doc: Number of `source_topic_regex`
      - id: source_topic_regex
        -orig-id: SourceTopicRegex
        type: s2
        repeat: expr
        repeat-expr: num_source_topic_regex.value
        doc: Regular expressions for topics that are read
      - id: num_repartition_source_topics
        type: kafka_array_length(true, false)
        doc: Number of `repartition_source_topics`
      - id: repartition_source_topics
        -orig-id: RepartitionSourceTopics
        type: s2
        repeat: expr
        repeat-expr: num_repartition_source_topics.value
        doc: Internal topics that are read
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
