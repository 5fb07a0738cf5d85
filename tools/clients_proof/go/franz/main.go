// franz does the tasks of clients_proof/driver.py with franz-go.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkafmt/clients_proof/tasks"
)

func main() {
	tasks.Main(map[string]tasks.Action{
		"read": read, "subscribe": subscribe, "committed": committed, "produce": produce, "create": create,
	})
}

func read(fields []string) ([]string, error) {
	level := kgo.ReadUncommitted()
	if fields[1] == "read_committed" {
		level = kgo.ReadCommitted()
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(fields[0]), kgo.FetchIsolationLevel(level),
		kgo.ConsumeTopics(tasks.Names(fields[2])...), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	return poll(client, tasks.Count(fields[3]))
}

func subscribe(fields []string) ([]string, error) {
	assigned := make(chan struct{}, 100)
	client, err := kgo.NewClient(kgo.SeedBrokers(fields[0]), kgo.ConsumerGroup(fields[2]), kgo.DisableAutoCommit(),
		kgo.ConsumeTopics(tasks.Names(fields[3])...), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.OnPartitionsAssigned(func(context.Context, *kgo.Client, map[string][]int32) { assigned <- struct{}{} }))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	select {
	case <-assigned:
	case <-time.After(tasks.Idle):
		return nil, errors.New("no partitions were assigned")
	}
	lines, err := poll(client, tasks.Count(fields[4]))
	if err == nil && fields[5] == "commit" {
		err = client.CommitUncommittedOffsets(context.Background())
	}
	return lines, err
}

func poll(client *kgo.Client, count int) ([]string, error) {
	var lines []string
	for isLast := false; ; {
		wait := tasks.Idle
		if isLast = len(lines) >= count; isLast {
			wait = tasks.Grace
		}
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		fetches := client.PollFetches(ctx)
		cancel()
		fetches.EachRecord(func(record *kgo.Record) {
			headers := make([]tasks.Header, len(record.Headers))
			for i, each := range record.Headers {
				headers[i] = tasks.Header{Name: each.Key, Value: each.Value}
			}
			timestamp := record.Timestamp.UnixMilli()
			lines = append(lines, tasks.RecordLine(
				record.Topic, record.Partition, record.Offset, timestamp, record.Key, record.Value, headers))
		})
		if err := fetches.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return lines, err
		}
		if isLast || fetches.Empty() {
			return lines, nil
		}
	}
}

func committed(fields []string) ([]string, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(fields[0]))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	request := kmsg.NewPtrOffsetFetchRequest()
	group := kmsg.NewOffsetFetchRequestGroup()
	group.Group = fields[1]
	request.Groups = append(request.Groups, group)
	request.Group = fields[1]
	answer, err := request.RequestWith(context.Background(), client)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, name := range tasks.Names(fields[2]) {
		wanted[name] = true
	}
	var lines []string
	for _, each := range answer.Groups {
		if err := kerr.ErrorForCode(each.ErrorCode); err != nil {
			return nil, err
		}
		for _, topic := range each.Topics {
			for _, partition := range topic.Partitions {
				if wanted[topic.Topic] && partition.Offset >= 0 {
					lines = append(lines, tasks.CommittedLine(topic.Topic, partition.Partition, partition.Offset))
				}
			}
		}
	}
	return lines, nil
}

func produce(fields []string) ([]string, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(fields[0]), kgo.DisableIdempotentWrite(),
		kgo.RecordDeliveryTimeout(30*time.Second), kgo.RecordRetries(3))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	record := &kgo.Record{Topic: fields[1], Value: []byte{1}}
	return nil, client.ProduceSync(context.Background(), record).FirstErr()
}

func create(fields []string) ([]string, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(fields[0]))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	request := kmsg.NewPtrCreateTopicsRequest()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = fields[1], 1, 1
	request.Topics = append(request.Topics, topic)
	answer, err := request.RequestWith(context.Background(), client)
	if err != nil {
		return nil, err
	}
	for _, each := range answer.Topics {
		if err := kerr.ErrorForCode(each.ErrorCode); err != nil {
			return nil, fmt.Errorf("%w %s", err, *each.ErrorMessage)
		}
	}
	return nil, nil
}
