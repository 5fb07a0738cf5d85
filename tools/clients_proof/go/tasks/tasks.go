// Package tasks does the tasks of clients_proof/driver.py, whatever the client.
package tasks

import (
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Idle is how long a driver waits for a record.
const Idle = 30 * time.Second

// Grace is how long a driver waits for what there should not be.
const Grace = 500 * time.Millisecond

// Header of a record.
type Header struct {
	Name  string
	Value []byte
}

// Action does a task, by its fields after the result's, and gives the lines of the result.
type Action func(fields []string) ([]string, error)

// Main does the tasks of the file that the command line names.
func Main(actions map[string]Action) {
	content, err := os.ReadFile(os.Args[1])
	check(err)
	for _, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
		fields := strings.Split(line, "\t")
		lines, err := actions[fields[0]](fields[2:])
		if err != nil {
			lines = []string{"#error\t" + strings.Join(strings.Fields(err.Error()), " ")}
		}
		text := ""
		if len(lines) > 0 {
			text = strings.Join(lines, "\n") + "\n"
		}
		check(os.WriteFile(fields[1], []byte(text), 0o644))
	}
}

// RecordLine writes a record as a line.
func RecordLine(topic string, partition int32, offset, timestamp int64, key, value []byte, headers []Header) string {
	named := make([]string, len(headers))
	for i, each := range headers {
		named[i] = base64.StdEncoding.EncodeToString([]byte(each.Name)) + ":" + text(each.Value)
	}
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%s\t%s\t%s",
		topic, partition, offset, timestamp, text(key), text(value), strings.Join(named, ","))
}

// CommittedLine writes a committed offset as a line.
func CommittedLine(topic string, partition int32, offset int64) string {
	return fmt.Sprintf("%s\t%d\t%d", topic, partition, offset)
}

// Names reads names with commas between them.
func Names(field string) []string { return strings.Split(field, ",") }

// Count reads a number.
func Count(field string) int {
	count, err := strconv.Atoi(field)
	check(err)
	return count
}

func text(content []byte) string {
	if content == nil {
		return "-"
	}
	return base64.StdEncoding.EncodeToString(content)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
