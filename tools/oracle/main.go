// Command oracle renders templates with the engine of Helm itself, one by one: it is what tools/fuzz.ts compares with.
//
// Build it with the Go that helm 4.1.4 is built with, in this folder:
//
//	GOTOOLCHAIN=go1.25.9 go build -ldflags '-X helm.sh/helm/v4/internal/version.version=v4.1.4' -o /tmp/oracle .
//
// Standard input: first the values as one line of JSON, then one template a line, each a JSON string.
// Standard output: one line of JSON a template, in that order: {"output": …} or {"error": …}, both base64 of the bytes.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/engine"
)

type result struct {
	Output []byte `json:"output"`
	Error  []byte `json:"error,omitempty"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<26)
	encoder := json.NewEncoder(os.Stdout)
	if !in.Scan() {
		log.Fatal("no values")
	}
	values := append([]byte(nil), in.Bytes()...)
	for in.Scan() {
		var text string
		if err := json.Unmarshal(in.Bytes(), &text); err != nil {
			log.Fatal(err)
		}
		if err := encoder.Encode(render(values, text)); err != nil {
			log.Fatal(err)
		}
	}
}

// render reads the values anew: templates may change them.
func render(values []byte, text string) result {
	read, err := common.ReadValues(values)
	if err != nil {
		log.Fatal(err)
	}
	c := &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: "v2", Name: "c", Version: "1.2.3"},
		Templates: []*common.File{{Name: "templates/t", Data: []byte(text)}},
		Files:     []*common.File{{Name: "a.txt", Data: []byte("one\ntwo\n")}, {Name: "d/b.txt", Data: []byte("b")}},
	}
	top := common.Values{
		"Capabilities": common.DefaultCapabilities,
		"Release": map[string]any{
			"Name": "rel", "Namespace": "ns", "IsUpgrade": false, "IsInstall": true, "Revision": 1, "Service": "Helm",
		},
		"Values": read,
	}
	rendered, err := engine.Engine{}.Render(c, top)
	if err != nil {
		return result{Error: []byte(err.Error())}
	}
	return result{Output: []byte(rendered["c/templates/t"])}
}
