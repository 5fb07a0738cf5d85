meta:
  id: kafka_share_group_member_metadata_value
  -orig-id: ShareGroupMemberMetadataValue
  -versions: 0-0
  title: Apache Kafka share group member metadata value
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
doc: A member of a share group (KIP-932), and its subscription.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/group-coordinator/src/main/resources/common/message/ShareGroupMemberMetadataValue.json ShareGroupMemberMetadataValue
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: rack_id
    -orig-id: RackId
    type: kafka_string(true, true)
    doc: The member's `client.rack`, if it is set
  - id: client_id
    -orig-id: ClientId
    type: kafka_string(true, false)
    doc: The member's `client.id`
  - id: client_host
    -orig-id: ClientHost
    type: kafka_string(true, false)
    doc: Address from which the member connects
  - id: num_subscribed_topic_names
    type: kafka_array_length(true, false)
    doc: Number of `subscribed_topic_names`
  - id: subscribed_topic_names
    -orig-id: SubscribedTopicNames
    type: kafka_string(true, false)
    repeat: expr
    repeat-expr: num_subscribed_topic_names.value
    doc: Names of the topics that the member has subscribed to
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
