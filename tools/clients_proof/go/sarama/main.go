// sarama does the tasks of clients_proof/driver.py with IBM's sarama.
package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/IBM/sarama"

	"kafkafmt/clients_proof/tasks"
)

func main() {
	tasks.Main(map[string]tasks.Action{
		"read": read, "subscribe": subscribe, "committed": committed, "produce": produce, "create": create,
	})
}

func settings() *sarama.Config {
	config := sarama.NewConfig()
	config.Version = sarama.MaxVersion
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Consumer.Offsets.AutoCommit.Enable = false
	config.Consumer.Return.Errors = true
	config.Producer.Return.Successes = true
	return config
}

// gathered are the records of all partitions until there are enough.
type gathered struct {
	lock   sync.Mutex
	lines  []string
	count  int
	latest time.Time
}

func (all *gathered) add(each *sarama.ConsumerMessage) {
	headers := make([]tasks.Header, len(each.Headers))
	for i, header := range each.Headers {
		headers[i] = tasks.Header{Name: string(header.Key), Value: header.Value}
	}
	timestamp := each.Timestamp.UnixMilli()
	if each.Timestamp.IsZero() {
		timestamp = -1
	}
	line := tasks.RecordLine(each.Topic, each.Partition, each.Offset, timestamp, each.Key, each.Value, headers)
	all.lock.Lock()
	defer all.lock.Unlock()
	all.lines = append(all.lines, line)
	all.latest = time.Now()
}

// wait ends when there are enough records, and a moment for more of them is over.
func (all *gathered) wait(failures <-chan error) error {
	for {
		all.lock.Lock()
		isComplete, idle := len(all.lines) >= all.count, time.Since(all.latest)
		all.lock.Unlock()
		if isComplete && idle > tasks.Grace || idle > tasks.Idle {
			return nil
		}
		select {
		case err := <-failures:
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func read(fields []string) ([]string, error) {
	config := settings()
	if fields[1] == "read_committed" {
		config.Consumer.IsolationLevel = sarama.ReadCommitted
	}
	consumer, err := sarama.NewConsumer([]string{fields[0]}, config)
	if err != nil {
		return nil, err
	}
	defer consumer.Close()
	all := &gathered{count: tasks.Count(fields[3]), latest: time.Now()}
	failures := make(chan error, 1000)
	var readers sync.WaitGroup
	var open []sarama.PartitionConsumer
	for _, topic := range tasks.Names(fields[2]) {
		partitions, err := consumer.Partitions(topic)
		if err != nil {
			return nil, err
		}
		for _, partition := range partitions {
			one, err := consumer.ConsumePartition(topic, partition, sarama.OffsetOldest)
			if err != nil {
				return nil, err
			}
			open = append(open, one)
			readers.Add(2)
			go func() {
				defer readers.Done()
				for each := range one.Messages() {
					all.add(each)
				}
			}()
			go func() {
				defer readers.Done()
				for each := range one.Errors() {
					failures <- each
				}
			}()
		}
	}
	err = all.wait(failures)
	for _, one := range open {
		one.AsyncClose()
	}
	readers.Wait()
	return all.lines, err
}

// member is a member of a group.
type member struct {
	all     *gathered
	commits bool
}

func (*member) Setup(sarama.ConsumerGroupSession) error { return nil }

func (one *member) Cleanup(session sarama.ConsumerGroupSession) error {
	if one.commits {
		session.Commit()
	}
	return nil
}

func (one *member) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for {
		select {
		case each, ok := <-claim.Messages():
			if !ok {
				return nil
			}
			one.all.add(each)
			session.MarkMessage(each, "")
		case <-session.Context().Done():
			return nil
		}
	}
}

func subscribe(fields []string) ([]string, error) {
	group, err := sarama.NewConsumerGroup([]string{fields[0]}, fields[2], settings())
	if err != nil {
		return nil, err
	}
	all := &gathered{count: tasks.Count(fields[4]), latest: time.Now()}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- group.Consume(ctx, tasks.Names(fields[3]), &member{all, fields[5] == "commit"})
	}()
	err = all.wait(group.Errors())
	cancel()
	return all.lines, errors.Join(err, <-ended, group.Close())
}

func committed(fields []string) ([]string, error) {
	admin, err := sarama.NewClusterAdmin([]string{fields[0]}, settings())
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	answer, err := admin.ListConsumerGroupOffsets(fields[1], nil)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, topic := range tasks.Names(fields[2]) {
		for partition, each := range answer.Blocks[topic] {
			if each.Offset >= 0 {
				lines = append(lines, tasks.CommittedLine(topic, partition, each.Offset))
			}
		}
	}
	return lines, nil
}

func produce(fields []string) ([]string, error) {
	producer, err := sarama.NewSyncProducer([]string{fields[0]}, settings())
	if err != nil {
		return nil, err
	}
	defer producer.Close()
	_, _, err = producer.SendMessage(&sarama.ProducerMessage{Topic: fields[1], Value: sarama.ByteEncoder{1}})
	return nil, err
}

func create(fields []string) ([]string, error) {
	admin, err := sarama.NewClusterAdmin([]string{fields[0]}, settings())
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	return nil, admin.CreateTopic(fields[1], &sarama.TopicDetail{NumPartitions: 1, ReplicationFactor: 1}, false)
}
