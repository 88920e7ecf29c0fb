// Command gates judges objects with the engines that judge them in a cluster: Flux's evaluator of health expressions, and the Lua of Argo CD with the
// libraries that Argo CD gives to health scripts. tools/gates.ts builds it; a test compares it with the engines from npm.
//
// Standard input: one line of JSON an object, {"object": …, "expressions": {"current": …, "inProgress": …, "failed": …}, "lua": …}.
// Standard output: one line of JSON an object, {"flux": …, "argo": …}: kstatus' word for it or "Unknown", and the word of the script.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type question struct {
	Object      json.RawMessage                   `json:"object"`
	Expressions *kustomize.HealthCheckExpressions `json:"expressions"`
	Lua         string                            `json:"lua"`
}

type answer struct {
	Flux string `json:"flux,omitempty"`
	Argo string `json:"argo,omitempty"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	encoder := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var q question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			log.Fatal(err)
		}
		var a answer
		// Reads integers as int64, as the client of Flux does.
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(q.Object); err != nil {
			log.Fatal(err)
		}
		if q.Expressions != nil {
			a.Flux = flux(object, q.Expressions)
		}
		if q.Lua != "" {
			a.Argo = argo(object.Object, q.Lua)
		}
		if err := encoder.Encode(a); err != nil {
			log.Fatal(err)
		}
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}

func flux(object *unstructured.Unstructured, expressions *kustomize.HealthCheckExpressions) string {
	evaluator, err := cel.NewStatusEvaluator(expressions)
	if err != nil {
		log.Fatal(err)
	}
	result, err := evaluator.Evaluate(context.Background(), object)
	if err != nil {
		return "Unknown"
	}
	return result.Status.String()
}

func argo(object map[string]any, script string) string {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			log.Fatal(err)
		}
	}
	state.SetGlobal("obj", valueOf(state, object))
	if err := state.DoString(script); err != nil {
		return fmt.Sprintf("error: %v", err)
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return "error: no table"
	}
	return state.GetField(table, "status").String()
}

func valueOf(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case map[string]any:
		table := state.NewTable()
		for key, item := range value {
			state.SetField(table, key, valueOf(state, item))
		}
		return table
	case []any:
		table := state.NewTable()
		for _, item := range value {
			table.Append(valueOf(state, item))
		}
		return table
	case string:
		return lua.LString(value)
	case bool:
		return lua.LBool(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	default:
		return lua.LNil
	}
}
