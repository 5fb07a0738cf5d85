// Trees parses files with generated types, and prints all fields and instances that these have.
//
// It reads lines of type, path and numbers that are the spec's parameters, parted by tabs; it writes a line of JSON
// {tree, error} for each. Names of fields have neither capitals nor underscores, bytes are hex, enums their numbers. A
// number that the spec leaves out is 0 here. A message inside of another spec has no _root, so its fields that need one
// panic in generated code: the error is then "_root is nil".
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/kaitai-io/kaitai_struct_go_runtime/kaitai"
)

var errNilRoot = errors.New("_root is nil")

var errorType = reflect.TypeOf((*error)(nil)).Elem()

func main() {
	jobs := bufio.NewScanner(os.Stdin)
	trees := bufio.NewWriter(os.Stdout)
	defer trees.Flush()
	encoder := json.NewEncoder(trees)
	for jobs.Scan() {
		tree, err := parse(strings.Split(jobs.Text(), "\t"))
		answer := map[string]any{"tree": tree, "error": nil}
		if err != nil {
			answer = map[string]any{"error": kind(err)}
		}
		if err := encoder.Encode(answer); err != nil {
			panic(err)
		}
	}
	if err := jobs.Err(); err != nil {
		panic(err)
	}
}

func parse(job []string) (tree any, failure error) {
	defer func() {
		if found := recover(); found != nil {
			if fault, is := found.(runtime.Error); !is || !strings.Contains(fault.Error(), "nil pointer") {
				panic(found)
			}
			failure = errNilRoot
		}
	}()
	data, err := os.ReadFile(job[1])
	if err != nil {
		panic(err)
	}
	make := reflect.ValueOf(constructors[job[0]])
	arguments := []reflect.Value{}
	for i, text := range job[2:] {
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			panic(err)
		}
		wanted := make.Type().In(i)
		if wanted.Kind() == reflect.Bool {
			arguments = append(arguments, reflect.ValueOf(number != 0))
		} else {
			arguments = append(arguments, reflect.ValueOf(number).Convert(wanted))
		}
	}
	root := make.Call(arguments)[0]
	read := root.MethodByName("Read")
	stream := reflect.ValueOf(kaitai.NewStream(bytes.NewReader(data)))
	failed := read.Call([]reflect.Value{stream, reflect.Zero(read.Type().In(1)), root})[0]
	if !failed.IsNil() {
		return nil, failed.Interface().(error)
	}
	return treeOf(root), nil
}

func treeOf(value reflect.Value) any {
	switch value.Kind() {
	case reflect.Interface:
		return treeOf(value.Elem())
	case reflect.Pointer:
		return structOf(value)
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return hex.EncodeToString(value.Bytes())
		}
		list := make([]any, value.Len())
		for i := range list {
			list[i] = treeOf(value.Index(i))
		}
		return list
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return value.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return value.Uint()
	case reflect.Float64:
		return value.Float()
	case reflect.Bool:
		return value.Bool()
	case reflect.String:
		return value.String()
	}
	panic(fmt.Sprintf("unexpected %v", value.Type()))
}

func structOf(pointer reflect.Value) any {
	tree := map[string]any{}
	fields := pointer.Elem().Type()
	for i := 0; i < fields.NumField(); i++ {
		if fields.Field(i).IsExported() {
			put(tree, fields.Field(i).Name, pointer.Elem().Field(i))
		}
	}
	methods := pointer.Type()
	for i := 0; i < methods.NumMethod(); i++ {
		method := methods.Method(i)
		if method.Type.NumIn() != 1 || method.Type.NumOut() != 2 || method.Type.Out(1) != errorType {
			continue
		}
		found := pointer.Method(i).Call(nil)
		if !found[1].IsNil() {
			tree[plain(method.Name)] = map[string]any{"error": kind(found[1].Interface().(error))}
		} else {
			put(tree, method.Name, found[0])
		}
	}
	return tree
}

func put(tree map[string]any, name string, value reflect.Value) {
	// A list without elements is nil as well.
	isBytes := value.Type() == reflect.TypeOf([]byte(nil))
	if (value.Kind() == reflect.Interface || value.Kind() == reflect.Pointer || isBytes) && value.IsNil() {
		return
	}
	tree[plain(name)] = treeOf(value)
}

func plain(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

func kind(err error) string {
	var failed kaitai.ValidationFailedError
	if errors.As(err, &failed) {
		return strings.TrimPrefix(fmt.Sprintf("%T", failed), "kaitai.")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "EOFError"
	}
	if errors.Is(err, kaitai.ErrInvalidSizeRequested) {
		return "RangeError"
	}
	return err.Error()
}
