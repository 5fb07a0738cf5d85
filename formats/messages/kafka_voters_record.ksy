meta:
  id: kafka_voters_record
  -orig-id: VotersRecord
  -versions: 0-0
  title: Apache Kafka voters of the metadata quorum
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
doc: |
  Value of the control record of type `kraft_voters` in the metadata log and its
  snapshots. It has all controllers that vote, and replaces the one before it.
doc-ref:
  - https://cwiki.apache.org/confluence/display/KAFKA/KIP-853%3A+KRaft+Controller+Membership+Changes KIP-853
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/VotersRecord.json VotersRecord
-webide-representation: '{num_voters} voters'
seq:
  - id: version
    -orig-id: Version
    type: s2
    valid:
      min: 0
      max: 0
    doc: Version of this message's layout
  - id: num_voters
    type: kafka_array_length(true, false)
    doc: Number of `voters`
  - id: voters
    -orig-id: Voters
    type: voter
    repeat: expr
    repeat-expr: num_voters.value
    doc: All controllers that vote
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
        doc: |
          UUID of the directory that holds the controller's metadata log, the
          `directory.id` of its `meta.properties`. With another disk the same
          node is another voter. All zeros if unknown.
      - id: num_endpoints
        type: kafka_array_length(true, false)
        doc: Number of `endpoints`
      - id: endpoints
        -orig-id: Endpoints
        type: endpoint
        repeat: expr
        repeat-expr: num_endpoints.value
        doc: Addresses of the voter, one for each listener
      - id: kraft_version_feature
        -orig-id: KRaftVersionFeature
        type: kraft_version_feature
        doc: Versions of the Raft protocol that the voter supports
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  endpoint:
    doc: Address of a voter
    -webide-representation: '{name} {host}:{port:dec}'
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
        doc: Name of the listener, one of `controller.listener.names`
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
    doc: Versions of the feature `kraft.version` that a voter supports
    -webide-representation: 'kraft.version {min_supported_version:dec} to {max_supported_version:dec}'
    seq:
      - id: min_supported_version
        -orig-id: MinSupportedVersion
        type: s2
        doc: Lowest version that the voter supports
      - id: max_supported_version
        -orig-id: MaxSupportedVersion
        type: s2
        doc: Highest version that the voter supports
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
