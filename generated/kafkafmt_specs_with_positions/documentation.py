"""What formats/ says of each type, field and value of an enumeration: see tools/regenerate."""

TYPES = {
    "KafkaCompactArrayLength": {
        "doc": "What stands in front of the elements of a `COMPACT_ARRAY` of the Kafka protocol that is never null. Kafka has arrays like this in those versions of a message that have tagged fields (KIP-482).",
        "fields": {
            "num_elements_plus_one": {
                "type": "kafka_unsigned_varint",
                "doc": "One more than the number of elements; 0 would be null, and is invalid"
            }
        }
    },
    "KafkaCompactString": {
        "doc": "`COMPACT_STRING` of the Kafka protocol, which is never null. Kafka has strings like this in those versions of a message that have tagged fields (KIP-482).",
        "fields": {
            "len_value_plus_one": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of the string in bytes and one more, so 1 for an empty one; 0 would be null, and is invalid"
            },
            "value": {
                "type": "bytes",
                "doc": "Text in UTF-8, which nobody checks: what is not UTF-8 comes out of Java with U+FFFD in its place. So it is left as bytes here."
            }
        }
    },
    "KafkaControlRecordKey": {
        "doc": "Key of each record in a `kafka_record_batch` that has `attributes.is_control` set. It tells what the value is.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of the key's layout, 0 so far. Kafka reads later versions as this one"
            },
            "type": {
                "type": "s2",
                "doc": "What the record tells, and with it what its value is. Kafka passes over records of types that it does not know"
            },
            "trailing": {
                "type": "bytes to the end",
                "doc": "What a later version may add, nothing in version 0"
            }
        }
    },
    "KafkaEndTransactionMarker": {
        "doc": "Value of the control records that end a transaction in a partition. Whether it was committed or aborted is in the key, a `kafka_control_record_key`; whose it was, in the header of the `kafka_record_batch`.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of the marker's layout, 0 so far. Kafka reads later versions as this one"
            },
            "coordinator_epoch": {
                "type": "s4",
                "doc": "Leader epoch of the partition of `__transaction_state` from which the transaction was coordinated. A broker refuses markers of an older coordinator."
            },
            "trailing": {
                "type": "bytes to the end",
                "doc": "What a later version may add, nothing in version 0"
            }
        }
    },
    "KafkaHeader": {
        "doc": "A name and a value that an application has attached to a `kafka_record` (KIP-82). Names may be repeated in a record, and their order counts.",
        "fields": {
            "len_key": {
                "type": "kafka_varint",
                "doc": "Size of the key in bytes; a negative one is invalid, as a key must not be null"
            },
            "key": {
                "type": "bytes",
                "doc": "Name of the header in UTF-8, which nobody checks: what is not UTF-8 comes out of Java clients with U+FFFD in its place. So it is left as bytes here."
            },
            "len_value": {
                "type": "kafka_varint",
                "doc": "Size of the value in bytes; -1 for null, and Kafka takes any negative size for null"
            },
            "value": {
                "type": "bytes",
                "doc": "Value of the header as the application set it. Missing if null, which is not the same as empty"
            }
        }
    },
    "KafkaKraftVersionRecord": {
        "doc": "`KRaftVersionRecord`, version 0: value of the control record of type `kraft_version` in the metadata log and its snapshots. It tells which version of the feature `kraft.version` holds from here on.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of this record's layout, not of the Raft protocol"
            },
            "kraft_version": {
                "type": "s2",
                "doc": "0: the voters are in the configuration of each node; 1: they are in the log, in `kafka_voters_record`, and can be changed"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None of its own in version 0"
            }
        }
    },
    "KafkaLeaderChangeMessage": {
        "doc": "`LeaderChangeMessage`, versions 0 and 1: value of the control record of type `leader_change`, which a new leader of the metadata log appends before anything else. Its epoch is the `partition_leader_epoch` of the `kafka_record_batch`.\n\nVersion 1 adds the directories of the voters (KIP-853). Kafka 4.3 knows it, but still writes version 0.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "leader_id": {
                "type": "s4",
                "doc": "The new leader's `node.id`"
            },
            "num_voters": {
                "type": "kafka_compact_array_length",
                "doc": "Number of voters"
            },
            "voters": {
                "type": "voter[]",
                "doc": "All controllers that could vote in this epoch"
            },
            "num_granting_voters": {
                "type": "kafka_compact_array_length",
                "doc": "Number of voters that voted for the leader"
            },
            "granting_voters": {
                "type": "voter[]",
                "doc": "Those that voted for the leader, itself included"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None of its own up to version 1"
            }
        }
    },
    "KafkaLeaderChangeMessage.Voter": {
        "doc": "A controller that votes",
        "fields": {
            "voter_id": {
                "type": "s4",
                "doc": "The controller's `node.id`"
            },
            "voter_directory_id": {
                "type": "bytes",
                "doc": "UUID of the directory that holds the controller's metadata log, the `directory.id` of its `meta.properties`. All zeros if unknown."
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None of its own up to version 1"
            }
        }
    },
    "KafkaLogSegment": {
        "doc": "Apache Kafka keeps each partition of a topic as a directory of segments. A segment file is named after the offset at which it starts, in 20 digits (`00000000000000000000.log`), and is nothing but entries one after another, without a file header. An entry is\n\n* a message of format 0 (until Kafka 0.9) or 1 (0.10), or * a batch of records, format 2 (since Kafka 0.11).\n\nEntries of all three may be mixed in one file, as a broker keeps old data as it is when the message format of a topic changes.\n\nTwo more things have this format: the `.checkpoint` snapshots of the metadata log of Kafka's own Raft protocol (KIP-630; their offsets start at 0 whatever the file is called), and the decompressed value of a compressed message of format 0 or 1, which is a row of messages.\n\nHow a file may end: after a whole entry; with an entry whose end is missing, if the broker did not come to write it (see `truncated`); or with zeros, if the broker preallocates segments and was not shut down cleanly. Zeros are not entries, and this parser stops at them with an error (on `len_body`), as Kafka's own reader does.",
        "fields": {
            "entries": {
                "type": "entry[]",
                "doc": "All entries; the last one may be incomplete, and then has `truncated` in place of its body."
            }
        }
    },
    "KafkaLogSegment.Entry": {
        "doc": "A message or a record batch, with its offset and its size in front.",
        "fields": {
            "base_offset": {
                "type": "s8",
                "doc": "Offset of the first record of a batch, of the only one of an uncompressed message, but of the last one in a compressed message.\n\nNo CRC covers it, so that a broker can assign offsets without another look at the data: a flipped bit in it goes unnoticed."
            },
            "len_body": {
                "type": "s4",
                "doc": "Size of what follows in bytes. The smallest possible one is 14, that of a message of format 0 without key and value. No CRC covers it.\n\nKafka takes 17 bytes or fewer at the end of a file for the start of an entry that was not written to its end, and does not look at its size."
            },
            "body": {
                "type": "kafka_message or kafka_record_batch",
                "doc": "The message or the record batch itself. The formats agree in the place of their magic byte, which tells them apart. Kafka reads any magic byte below 2, negative ones as well, as that of a message."
            },
            "truncated": {
                "type": "bytes to the end",
                "doc": "What there is of an entry whose end is missing, after its size if that is there. Only the last entry of a file may be so. It is no error: a broker drops these bytes when it starts after a crash."
            },
            "magic": {
                "type": "s1",
                "doc": "Number of the message format: 0, 1 or 2.\n\nThe CRC of a record batch leaves this byte out. If it is flipped to more than 2, brokers take the entry for a good batch of format 2 and keep it; consumers fail at it."
            }
        }
    },
    "KafkaMessage": {
        "doc": "A message of the formats that Apache Kafka wrote before version 0.11, without the offset and the size in front of it, which are those of every entry of a `kafka_log_segment`.\n\nA message with compression is a wrapper: its `value`, once decompressed, is a `kafka_log_segment` of the messages it holds; its key is not used. Wrappers are not nested. The offset of a wrapper is that of the last message in it. The offsets in front of the wrapped messages are\n\n* in format 0 the real ones, * in format 1 relative to each other (KIP-31): the last wrapped message has the wrapper's offset, and the others are as far before it as their numbers are before its number. After compaction the numbers have gaps.\n\nWhether a wrapper is in format 0 or 1 decides that, not the formats of the messages in it.",
        "fields": {
            "crc": {
                "type": "u4",
                "doc": "CRC-32 (that of zip and Ethernet) of `crc_input`. Kafka checks that of a wrapper, but on reading not those of the messages in it."
            },
            "magic": {
                "type": "s1",
                "doc": "Number of the message format, 0 or 1. Kafka reads negative numbers as 1."
            },
            "attributes": {
                "type": "attributes",
                "doc": "Compression and kind of timestamp"
            },
            "timestamp": {
                "type": "s8",
                "doc": "Milliseconds since 1970-01-01 UTC, -1 if unknown: when the producer made the message or when the broker appended it, as `attributes.timestamp_type` says.\n\nIf a wrapper says that the broker did, its timestamp holds for all messages in it, and theirs are to be ignored. Otherwise that of a wrapper is the greatest of theirs."
            },
            "len_key": {
                "type": "s4",
                "doc": "Size of the key in bytes; -1 for null, and Kafka takes any negative size for null"
            },
            "key": {
                "type": "bytes",
                "doc": "Key of the message as the producer serialized it. Missing if null, which is not the same as empty"
            },
            "len_value": {
                "type": "s4",
                "doc": "Size of the value in bytes; -1 for null, and Kafka takes any negative size for null"
            },
            "value": {
                "type": "bytes",
                "doc": "Value of the message as the producer serialized it, or of a wrapper the compressed messages. Missing if null. In a compacted topic a null value means that the key is to be deleted. A wrapper needs a value.\n\nSnappy data of Java clients starts with a header of its own (the framing of the xerial library, its first byte 0x82), that of other clients may be one raw block. The header checksum of LZ4 frames in format 0 is wrong by a historical error of the Java client, which computed it over four bytes too many (KAFKA-3160)."
            },
            "trailing": {
                "type": "bytes to the end",
                "doc": "What follows the value: nothing as a rule. Kafka does not mind further bytes, and the CRC covers them"
            },
            "crc_input": {
                "type": "bytes to the end",
                "doc": "The bytes which `crc` covers, from `magic` to the end. Offset and size of the entry are left out."
            }
        }
    },
    "KafkaMessage.Attributes": {
        "doc": "A byte whose bits tell how to read the message",
        "fields": {
            "reserved": {
                "type": "b4",
                "doc": "Zeros; Kafka does not look at them"
            },
            "timestamp_type": {
                "type": "b1",
                "doc": "What the timestamp is. Without meaning in format 0, which has none"
            },
            "compression": {
                "type": "b3",
                "doc": "How `value` is compressed. Only `none`, `gzip`, `snappy` and `lz4` are possible in these formats, `lz4` since Kafka 0.8.2; with any other value Kafka reads the message itself, but not what is in it."
            }
        }
    },
    "KafkaOffsetIndex": {
        "doc": "Where to find an offset in the `kafka_log_segment` of the same name: an entry for about every 4096 bytes (`log.index.interval.bytes`), in ascending order, which Kafka searches by bisection. A small segment often has none, and the file is empty.\n\nWhile a broker writes to a segment its index is preallocated to its full size (`log.index.size.max.bytes`), so that entries of zeros follow the last real one. They are cut off when the segment is full or on a clean shutdown, but remain after a crash, and in directories of deleted topics. Only in the very first entry may zeros be real, as both numbers go up from entry to entry.",
        "fields": {
            "entries": {
                "type": "entry[]",
                "doc": "Entries in use, and after them those of zeros if the file is preallocated"
            },
            "truncated": {
                "type": "bytes to the end",
                "doc": "Nothing, or what there is of an entry; Kafka does not look at it"
            }
        }
    },
    "KafkaOffsetIndex.Entry": {
        "doc": "A hint where to start: no record of this or a greater offset lies before this position. It takes a look at the log from there on to find it.",
        "fields": {
            "relative_offset": {
                "type": "s4",
                "doc": "An offset less that of the segment (its file name).\n\nThe offset is one of what the broker appended together at `ofs_entry`, which may be several entries of the log. Up to Kafka 1.1 it is the first offset of them, and thus that of the entry to which `ofs_entry` points. In later versions it is the last offset of them, which may be beyond the end of that entry. A log that is old enough has indexes of both kinds, and no file tells which it is."
            },
            "ofs_entry": {
                "type": "s4",
                "doc": "Position of an entry in the segment file"
            }
        }
    },
    "KafkaProducerSnapshot": {
        "doc": "What a broker knows of the producers with idempotence or transactions that have written to a partition, so that it need not read the whole log again when it starts (KIP-98). The file is named after an offset, in 20 digits (`00000000000000000042.snapshot`), and tells the state after all records below that offset. There is one for the start of each of the latest segments, and one for the end of the log after a clean shutdown.\n\nAll versions from Kafka 0.11 on write version 1. Without any producer it is 10 bytes long.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of the file's layout, always 1"
            },
            "crc": {
                "type": "u4",
                "doc": "CRC-32C (Castagnoli) of `crc_input`"
            },
            "num_producers": {
                "type": "s4",
                "doc": "Number of producers"
            },
            "producers": {
                "type": "producer[]",
                "doc": "The producers, in no particular order"
            },
            "trailing": {
                "type": "bytes to the end",
                "doc": "What follows the last producer: nothing as a rule. Kafka does not mind further bytes, and the CRC covers them"
            },
            "crc_input": {
                "type": "bytes to the end",
                "doc": "The bytes which `crc` covers, from `num_producers` to the end"
            }
        }
    },
    "KafkaProducerSnapshot.Producer": {
        "doc": "A producer and the last batch that it has written. In memory a broker knows its last five batches, to detect duplicates; the other four are not kept.",
        "fields": {
            "producer_id": {
                "type": "s8",
                "doc": "Number that the cluster has given to the producer"
            },
            "epoch": {
                "type": "s2",
                "doc": "Epoch of the producer, with which brokers tell a restarted one from its predecessor"
            },
            "last_sequence": {
                "type": "s4",
                "doc": "Sequence number of the last record, -1 if there has been none but a marker"
            },
            "last_offset": {
                "type": "s8",
                "doc": "Offset of the last record, -1 if there has been none but a marker"
            },
            "offset_delta": {
                "type": "s4",
                "doc": "Last offset of the last batch less its first one, and likewise with the sequence numbers"
            },
            "timestamp": {
                "type": "s8",
                "doc": "Greatest timestamp of the last batch or marker, in milliseconds since 1970-01-01 UTC. Producers are forgotten some time after it (`producer.id.expiration.ms`)."
            },
            "coordinator_epoch": {
                "type": "s4",
                "doc": "`coordinator_epoch` of the last `kafka_end_transaction_marker`, -1 if there has been none"
            },
            "current_txn_first_offset": {
                "type": "s8",
                "doc": "First offset of the open transaction, -1 if there is none"
            }
        }
    },
    "KafkaRecord": {
        "doc": "One record of a `kafka_record_batch`. Offset and timestamp are relative to those of the batch, and nearly all numbers are of variable length.",
        "fields": {
            "len_body": {
                "type": "kafka_varint",
                "doc": "Size of what follows in bytes"
            },
            "body": {
                "type": "body",
                "doc": "The record itself"
            }
        }
    },
    "KafkaRecord.Body": {
        "doc": "What is in a record, without the size in front of it",
        "fields": {
            "attributes": {
                "type": "u1",
                "doc": "Not in use, 0"
            },
            "timestamp_delta": {
                "type": "kafka_varlong",
                "doc": "Milliseconds to add to the batch's `base_timestamp`; the sum wraps at 64 bits. Not to be used if the timestamp type of the batch is `log_append_time`."
            },
            "offset_delta": {
                "type": "kafka_varint",
                "doc": "To add to the offset of the batch, and to its `base_sequence` if that is not -1. There are gaps after compaction."
            },
            "len_key": {
                "type": "kafka_varint",
                "doc": "Size of the key in bytes; -1 for null, and Kafka takes any negative size for null"
            },
            "key": {
                "type": "bytes",
                "doc": "Key of the record as the producer serialized it. Missing if null, which is not the same as empty. In a control batch, a `kafka_control_record_key`."
            },
            "len_value": {
                "type": "kafka_varint",
                "doc": "Size of the value in bytes; -1 for null, and Kafka takes any negative size for null"
            },
            "value": {
                "type": "bytes",
                "doc": "Value of the record as the producer serialized it. Missing if null. In a compacted topic a null value means that the key is to be deleted. In a transaction marker, a `kafka_end_transaction_marker`."
            },
            "num_headers": {
                "type": "kafka_varint",
                "doc": "Number of headers; a negative one is invalid"
            },
            "headers": {
                "type": "kafka_header[]",
                "doc": "Headers in the order in which they were added. A negative number of them is made one that no record has room for, so that it is an error"
            },
            "rest": {
                "type": "bytes to the end",
                "doc": "What follows the headers: always nothing, as Kafka refuses a record whose fields do not fill it exactly"
            }
        }
    },
    "KafkaRecordBatch": {
        "doc": "What Apache Kafka writes since version 0.11: a header of 49 bytes for a number of records, without the offset and the size in front of it, which are those of every entry of a `kafka_log_segment`. The records are compressed together or not at all; the header never is.\n\nThe log cleaner, which compacts topics, takes records out of batches, but leaves the offset of the entry and `last_offset_delta` as they were. So there may be fewer records than offsets, the first record need not have the offset of the entry, and a batch that holds the last sequence number of a producer is kept even without any record.",
        "fields": {
            "partition_leader_epoch": {
                "type": "s4",
                "doc": "Which leader of the partition appended the batch (KIP-101), -1 if unknown. The CRC does not cover it, as the leader sets it in a batch that the producer has made."
            },
            "magic": {
                "type": "s1",
                "doc": "Number of the message format. The CRC does not cover it"
            },
            "crc": {
                "type": "u4",
                "doc": "CRC-32C (Castagnoli) of `crc_input`, the compressed bytes if there is compression"
            },
            "attributes": {
                "type": "attributes",
                "doc": "Compression, kind of timestamp, and what the records are"
            },
            "last_offset_delta": {
                "type": "s4",
                "doc": "To add to the offset of the entry for the last offset of the batch as it was produced. Also the number of sequence numbers it took up, less one."
            },
            "base_timestamp": {
                "type": "s8",
                "doc": "Milliseconds since 1970-01-01 UTC to which the `timestamp_delta` of each record is to be added; the sum wraps at 64 bits. -1 if unknown or if there is no record.\n\nAs produced it is the timestamp of the first record. With `attributes.has_delete_horizon` it is instead the time from which on the log cleaner may drop the tombstones or the transaction marker in the batch (KIP-534), which may lie in the future. The deltas are then relative to it, mostly negative, and the timestamps of the records remain what they were."
            },
            "max_timestamp": {
                "type": "s8",
                "doc": "Greatest timestamp of the records. If `attributes.timestamp_type` is `log_append_time` it is the time of the append and the timestamp of every record in the batch, and `base_timestamp` and the deltas, which are still those of the producer, are to be ignored."
            },
            "producer_id": {
                "type": "s8",
                "doc": "Producer with idempotence or transactions, -1 for any other"
            },
            "producer_epoch": {
                "type": "s2",
                "doc": "Incarnation of the producer, -1 without producer id. It goes up whenever a transactional producer starts anew, so that the broker can refuse the old one. Since transactions of version 2 (KIP-890) it goes up with each transaction, and the marker that ends one has the next epoch already."
            },
            "base_sequence": {
                "type": "s4",
                "doc": "Sequence number of the first record as produced, -1 for none. A record's own one is greater by its `offset_delta`; 0 follows 2147483647, be it inside of a batch."
            },
            "num_records": {
                "type": "s4",
                "doc": "Number of records, which the log cleaner may have brought down to 0"
            },
            "crc_input": {
                "type": "bytes to the end",
                "doc": "The bytes which `crc` covers, from `attributes` to the end. Left out are offset and size of the entry, `partition_leader_epoch`, `magic` and the CRC itself."
            },
            "records": {
                "type": "kafka_record[]",
                "doc": "The records, if they are not compressed. Kafka refuses a batch with anything after the last of them."
            },
            "compressed_records": {
                "type": "bytes to the end",
                "doc": "The records, if they are compressed: once decompressed, a `kafka_records` with `num_records` of them."
            }
        }
    },
    "KafkaRecordBatch.Attributes": {
        "doc": "Two bytes whose bits tell how to read the batch",
        "fields": {
            "reserved": {
                "type": "b9",
                "doc": "Zeros; Kafka does not look at them"
            },
            "has_delete_horizon": {
                "type": "b1",
                "doc": "Whether `base_timestamp` is the delete horizon, since Kafka 3.1 (KIP-534)"
            },
            "is_control": {
                "type": "b1",
                "doc": "Whether the records are Kafka's own, such as transaction markers: their keys are `kafka_control_record_key`, and consumers do not get to see them."
            },
            "is_transactional": {
                "type": "b1",
                "doc": "Whether the batch is part of a transaction"
            },
            "timestamp_type": {
                "type": "b1",
                "doc": "What the timestamps of the records are"
            },
            "compression": {
                "type": "b3",
                "doc": "How the records are compressed. 5 to 7 are not in use: Kafka reads such a batch, but not its records."
            }
        }
    },
    "KafkaRecords": {
        "doc": "Records one after another to the end of the stream: what the `compressed_records` of a `kafka_record_batch` are when decompressed. There must be `num_records` of the batch, no more and no fewer.",
        "fields": {
            "records": {
                "type": "kafka_record[]",
                "doc": "All records of the batch"
            }
        }
    },
    "KafkaSnapshotFooterRecord": {
        "doc": "`SnapshotFooterRecord`, version 0: value of the control record of type `snapshot_footer`, the last record of a snapshot of the metadata log (a `.checkpoint` file). A snapshot without one is incomplete.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of this record's layout"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None of its own in version 0"
            }
        }
    },
    "KafkaSnapshotHeaderRecord": {
        "doc": "`SnapshotHeaderRecord`, version 0: value of the control record of type `snapshot_header`, the first record of a snapshot of the metadata log (a `.checkpoint` file).",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of this record's layout"
            },
            "last_contained_log_timestamp": {
                "type": "s8",
                "doc": "Append time of the last record of the log that has gone into the snapshot, in milliseconds since 1970-01-01 UTC; 0 in a snapshot that came before any log"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None of its own in version 0"
            }
        }
    },
    "KafkaTaggedFields": {
        "doc": "Optional fields at the end of a message, or of a structure in it (KIP-482). A reader that does not know a tag passes over the field by its size. So a newer Kafka may add fields without a new version of the message.",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of tagged fields. A negative one is none to Kafka"
            },
            "fields": {
                "type": "field[]",
                "doc": "The tagged fields, in ascending order of their tags"
            }
        }
    },
    "KafkaTaggedFields.Field": {
        "doc": "A field whose meaning the message's schema tells by `tag`",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field; each message and structure has its own"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "bytes",
                "doc": "The field itself, laid out as the message's schema tells"
            }
        }
    },
    "KafkaTimeIndex": {
        "doc": "How far the timestamps had come at an offset in the `kafka_log_segment` of the same name, since Kafka 0.10.1 (KIP-33). Timestamps and offsets go up from entry to entry, although those of the records need not. Records without timestamp, as are all of message format 0, have no part in it.\n\nAn entry may be added together with one of the `kafka_offset_index`, and the last one when the segment is full or is closed.\n\nWhile a broker writes to a segment its index is preallocated to its full size, so that entries of zeros follow the last real one. They are cut off when the segment is full or on a clean shutdown, but remain after a crash. Only in the first entry may zeros be real: a record of 1970 at the segment's first offset.",
        "fields": {
            "entries": {
                "type": "entry[]",
                "doc": "Entries in use, and after them those of zeros if the file is preallocated"
            },
            "truncated": {
                "type": "bytes to the end",
                "doc": "Nothing, or what there is of an entry; Kafka does not look at it"
            }
        }
    },
    "KafkaTimeIndex.Entry": {
        "doc": "Any record of the segment with a later timestamp has a greater offset.",
        "fields": {
            "timestamp": {
                "type": "s8",
                "doc": "Greatest timestamp in the segment so far, in milliseconds since 1970-01-01 UTC"
            },
            "relative_offset": {
                "type": "s4",
                "doc": "Offset less that of the segment (its file name): of the record with that timestamp, or of the last one in its batch."
            }
        }
    },
    "KafkaTransactionIndex": {
        "doc": "The transactions whose abort marker is in the `kafka_log_segment` of the same name, in the order of the markers (KIP-98). Brokers send these with the records to consumers that read committed data only, which pass over what the transactions have written.\n\nThere is no such file before the first abort in a segment. It is not preallocated.",
        "fields": {
            "entries": {
                "type": "entry[]",
                "doc": "Aborted transactions in the order of their markers"
            },
            "truncated": {
                "type": "bytes to the end",
                "doc": "Nothing, or what there is of an entry; Kafka does not look at it"
            }
        }
    },
    "KafkaTransactionIndex.Entry": {
        "doc": "A transaction that was aborted",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of the entry's layout, 0 so far. Kafka refuses later versions"
            },
            "producer_id": {
                "type": "s8",
                "doc": "Producer whose transaction it was"
            },
            "first_offset": {
                "type": "s8",
                "doc": "First offset of the transaction in the partition, which may be in an earlier segment"
            },
            "last_offset": {
                "type": "s8",
                "doc": "Offset of the abort marker"
            },
            "last_stable_offset": {
                "type": "s8",
                "doc": "Last stable offset after the abort: that of the first record of the earliest transaction that was then still open, or the one after the marker if there was none."
            }
        }
    },
    "KafkaUnsignedVarint": {
        "doc": "`UNSIGNED_VARINT` of the Kafka protocol: an integer cut into groups of 7 bits, the least significant group first, and the top bit of each byte tells whether another one follows. It is not \"zigzag\" as a `kafka_varint` is.\n\nThere are at most 5 bytes, and it is an error if the last of them has its top bit set. Bits of it that are too many for 32 bits are dropped, as Kafka does. A number may take more bytes than it needs.",
        "fields": {
            "b0": {
                "type": "u1",
                "doc": ""
            },
            "b1": {
                "type": "u1",
                "doc": ""
            },
            "b2": {
                "type": "u1",
                "doc": ""
            },
            "b3": {
                "type": "u1",
                "doc": ""
            },
            "b4": {
                "type": "u1",
                "doc": ""
            }
        }
    },
    "KafkaVarint": {
        "doc": "Signed 32-bit integer as a \"zigzag\" number, in which 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4. This is cut into groups of 7 bits, the least significant group first, and the top bit of each byte tells whether another one follows.\n\nThere are at most 5 bytes, and it is an error if the last of them has its top bit set. Bits of it that are too many for 32 bits are dropped, as Kafka does. A number may take more bytes than it needs.",
        "fields": {
            "b0": {
                "type": "u1",
                "doc": ""
            },
            "b1": {
                "type": "u1",
                "doc": ""
            },
            "b2": {
                "type": "u1",
                "doc": ""
            },
            "b3": {
                "type": "u1",
                "doc": ""
            },
            "b4": {
                "type": "u1",
                "doc": ""
            }
        }
    },
    "KafkaVarlong": {
        "doc": "Signed 64-bit integer as a \"zigzag\" number, in which 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4. This is cut into groups of 7 bits, the least significant group first, and the top bit of each byte tells whether another one follows.\n\nThere are at most 10 bytes, and it is an error if the last of them has its top bit set. Bits of it that are too many for 64 bits are dropped, as Kafka does. A number may take more bytes than it needs.\n\nIn languages whose numbers are all of floating point, such as JavaScript, the value is exact up to 53 bits.",
        "fields": {
            "b0": {
                "type": "u1",
                "doc": ""
            },
            "b1": {
                "type": "u1",
                "doc": ""
            },
            "b2": {
                "type": "u1",
                "doc": ""
            },
            "b3": {
                "type": "u1",
                "doc": ""
            },
            "b4": {
                "type": "u1",
                "doc": ""
            },
            "b5": {
                "type": "u1",
                "doc": ""
            },
            "b6": {
                "type": "u1",
                "doc": ""
            },
            "b7": {
                "type": "u1",
                "doc": ""
            },
            "b8": {
                "type": "u1",
                "doc": ""
            },
            "b9": {
                "type": "u1",
                "doc": ""
            }
        }
    },
    "KafkaVotersRecord": {
        "doc": "`VotersRecord`, version 0: value of the control record of type `kraft_voters` in the metadata log and its snapshots. It has all controllers that vote, and takes the place of the one before it.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of this record's layout"
            },
            "num_voters": {
                "type": "kafka_compact_array_length",
                "doc": "Number of voters"
            },
            "voters": {
                "type": "voter[]",
                "doc": "All controllers that vote"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None of its own in version 0"
            }
        }
    },
    "KafkaVotersRecord.Voter": {
        "doc": "A controller that votes",
        "fields": {
            "voter_id": {
                "type": "s4",
                "doc": "The controller's `node.id`"
            },
            "voter_directory_id": {
                "type": "bytes",
                "doc": "UUID of the directory that holds the controller's metadata log, the `directory.id` of its `meta.properties`. With another disk the same node is another voter. All zeros if unknown."
            },
            "num_endpoints": {
                "type": "kafka_compact_array_length",
                "doc": "Number of endpoints"
            },
            "endpoints": {
                "type": "endpoint[]",
                "doc": "Where the voter listens, one for each listener"
            },
            "kraft_version_feature": {
                "type": "kraft_version_feature",
                "doc": "Versions of the Raft protocol that the voter can do"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None of its own in version 0"
            }
        }
    },
    "KafkaVotersRecord.Endpoint": {
        "doc": "Where a voter listens",
        "fields": {
            "name": {
                "type": "kafka_compact_string",
                "doc": "Name of the listener, one of `controller.listener.names`"
            },
            "host": {
                "type": "kafka_compact_string",
                "doc": "Host name or IP address"
            },
            "port": {
                "type": "u2",
                "doc": "Port of TCP"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None of its own in version 0"
            }
        }
    },
    "KafkaVotersRecord.KraftVersionFeature": {
        "doc": "Versions of the feature `kraft.version` that a voter can do",
        "fields": {
            "min_supported_version": {
                "type": "s2",
                "doc": "Lowest version that the voter can do"
            },
            "max_supported_version": {
                "type": "s2",
                "doc": "Highest version that the voter can do"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None of its own in version 0"
            }
        }
    }
}

ENUMS = {
    "KafkaControlRecordKey.ControlRecordType": {
        "0": {
            "id": "abort",
            "doc": "A transaction of the batch's producer was aborted; the value is a `kafka_end_transaction_marker`."
        },
        "1": {
            "id": "commit",
            "doc": "A transaction of the batch's producer was committed; the value is a `kafka_end_transaction_marker`."
        },
        "2": {
            "id": "leader_change",
            "doc": "A leader of the metadata log was elected; the value is a `kafka_leader_change_message` (KIP-595)."
        },
        "3": {
            "id": "snapshot_header",
            "doc": "First record of a snapshot; the value is a `kafka_snapshot_header_record` (KIP-630)."
        },
        "4": {
            "id": "snapshot_footer",
            "doc": "Last record of a snapshot; the value is a `kafka_snapshot_footer_record` (KIP-630)."
        },
        "5": {
            "id": "kraft_version",
            "doc": "Version of the Raft protocol; the value is a `kafka_kraft_version_record` (KIP-853)."
        },
        "6": {
            "id": "kraft_voters",
            "doc": "Who votes in the metadata quorum; the value is a `kafka_voters_record` (KIP-853)."
        }
    },
    "KafkaMessage.Compression": {
        "0": {
            "id": "none",
            "doc": "A single message, not a wrapper"
        },
        "1": {
            "id": "gzip",
            "doc": "A wrapper of messages in the format of gzip"
        },
        "2": {
            "id": "snappy",
            "doc": "A wrapper of messages in Snappy, mostly framed as the xerial library does"
        },
        "3": {
            "id": "lz4",
            "doc": "A wrapper of messages in LZ4 frames"
        },
        "4": {
            "id": "zstd",
            "doc": "Only in format 2, not valid here"
        }
    },
    "KafkaMessage.TimestampType": {
        "0": {
            "id": "create_time",
            "doc": "When the producer made the message, or what it said"
        },
        "1": {
            "id": "log_append_time",
            "doc": "When the broker appended the message"
        }
    },
    "KafkaRecordBatch.Compression": {
        "0": {
            "id": "none",
            "doc": "The records stand as they are"
        },
        "1": {
            "id": "gzip",
            "doc": "In the format of gzip"
        },
        "2": {
            "id": "snappy",
            "doc": "In the framing of the xerial library if a Java client wrote it"
        },
        "3": {
            "id": "lz4",
            "doc": "LZ4 frames"
        },
        "4": {
            "id": "zstd",
            "doc": "Since Kafka 2.1 (KIP-110)"
        }
    },
    "KafkaRecordBatch.TimestampType": {
        "0": {
            "id": "create_time",
            "doc": "When the producer made the record, or what it said"
        },
        "1": {
            "id": "log_append_time",
            "doc": "When the broker appended the batch"
        }
    }
}
