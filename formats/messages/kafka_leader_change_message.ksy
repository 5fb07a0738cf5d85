meta:
  id: kafka_leader_change_message
  -orig-id: LeaderChangeMessage
  -versions: 0-1
  title: Apache Kafka change of the leader of the metadata quorum
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
    - kafka_tagged_fields
  endian: be
doc: |
  Value of the control record of type `leader_change`, which a new leader of the
  metadata log appends before anything else. Its epoch is the
  `partition_leader_epoch` of the `kafka_record_batch`.

  Version 1 adds the directories of the voters (KIP-853). Kafka 4.3 knows it,
  but still writes version 0.
doc-ref:
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-595%3A+A+Raft+Protocol+for+the+Metadata+Quorum KIP-595
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-853%3A+KRaft+Controller+Membership+Changes KIP-853
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/LeaderChangeMessage.json LeaderChangeMessage
-webide-representation: 'leader {leader_id:dec}'
seq:
  - id: version
    -orig-id: Version
    type: s2
    valid:
      min: 0
      max: 1
    doc: Version of this message's layout
  - id: leader_id
    -orig-id: LeaderId
    type: s4
    doc: The new leader's `node.id`
  - id: num_voters
    type: kafka_array_length(true, false)
    doc: Number of `voters`
  - id: voters
    -orig-id: Voters
    type: voter
    repeat: expr
    repeat-expr: num_voters.value
    doc: All controllers that could vote in this epoch
  - id: num_granting_voters
    type: kafka_array_length(true, false)
    doc: Number of `granting_voters`
  - id: granting_voters
    -orig-id: GrantingVoters
    type: voter
    repeat: expr
    repeat-expr: num_granting_voters.value
    doc: Those that voted for the leader, itself included
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  voter:
    doc: A controller that votes
    -webide-representation: 'node {voter_id:dec}'
    seq:
      - id: voter_id
        -orig-id: VoterId
        type: s4
        doc: The controller's `node.id`
      - id: voter_directory_id
        -orig-id: VoterDirectoryId
        size: 16
        if: _root.version >= 1
        doc: |
          UUID of the directory that holds the controller's metadata log, the
          `directory.id` of its `meta.properties`. All zeros if unknown.
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
