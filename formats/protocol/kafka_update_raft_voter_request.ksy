meta:
  id: kafka_update_raft_voter_request
  -orig-id: UpdateRaftVoterRequest
  -versions: 0-0
  title: Apache Kafka update raft voter request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `UpdateRaftVoterRequest`: a request of the API with key 82, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/UpdateRaftVoterRequest.json UpdateRaftVoterRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: cluster_id
    -orig-id: ClusterId
    type: kafka_string(true, true)
    doc: Id of the cluster
  - id: current_leader_epoch
    -orig-id: CurrentLeaderEpoch
    type: s4
    doc: |
      Leader epoch that the client knows; the broker refuses an older one. -1 if
      the client does not send it
  - id: voter_id
    -orig-id: VoterId
    type: s4
    doc: The voter's `node.id`
  - id: voter_directory_id
    -orig-id: VoterDirectoryId
    size: 16
    doc: Directory id of the voter
  - id: num_listeners
    type: kafka_array_length(true, false)
    doc: Number of `listeners`
  - id: listeners
    -orig-id: Listeners
    type: listener
    repeat: expr
    repeat-expr: num_listeners.value
  - id: kraft_version_feature
    -orig-id: KRaftVersionFeature
    type: kraft_version_feature
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  listener:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: host
        -orig-id: Host
        type: kafka_string(true, false)
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: u2
        doc: TCP port
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  kraft_version_feature:
    seq:
      - id: min_supported_version
        -orig-id: MinSupportedVersion
        type: s2
      - id: max_supported_version
        -orig-id: MaxSupportedVersion
        type: s2
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
