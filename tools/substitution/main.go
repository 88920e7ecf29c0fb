// Command substitution fills variables in as Flux does after a build, with Flux's own package at the version of kustomize-controller 1.9.4, strict.
// tools/gates.ts builds it; a test compares what it gives with the previews of `render --runtime-values`.
//
// It is a module of its own because that version of the package needs other versions of Kubernetes' packages than tools/gates.
//
// Standard input: one line of JSON a file, {"yaml": "…", "variables": {"NAME": "value"}}, with one object in it.
// Standard output: one line of JSON a file, {"object": …}, or {"error": "…"}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/provider"
)

type question struct {
	YAML      string         `json:"yaml"`
	Variables map[string]any `json:"variables"`
}

type answer struct {
	Object json.RawMessage `json:"object,omitempty"`
	Error  string          `json:"error,omitempty"`
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
		object, err := substitute(q)
		if err != nil {
			a.Error = err.Error()
		}
		a.Object = object
		if err := encoder.Encode(a); err != nil {
			log.Fatal(err)
		}
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}

func substitute(q question) (json.RawMessage, error) {
	// Kustomize reads the file, so the package sees the object as the controller does.
	resource, err := provider.NewDefaultDepProvider().GetResourceFactory().FromBytes([]byte(q.YAML))
	if err != nil {
		return nil, err
	}
	kustomization := unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"postBuild": map[string]any{"substitute": q.Variables}},
	}}
	// A dry run reads no ConfigMap; values that stand in the Kustomization are treated alike.
	filled, err := kustomize.SubstituteVariables(context.Background(), nil, kustomization, resource,
		kustomize.SubstituteWithDryRun(true), kustomize.SubstituteWithStrict(true))
	if err != nil {
		return nil, err
	}
	if filled == nil {
		filled = resource
	}
	return filled.MarshalJSON()
}
