// Runs one component of Argo CD by the name it is called by, or what they need beside them: kustomize, and a Redis in memory. Not the API server: no
// test asks it anything.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/alicebob/miniredis/v2"
	applicationcontroller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	applicationset "github.com/argoproj/argo-cd/v3/cmd/argocd-applicationset-controller/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/spf13/cobra"
	kustomize "sigs.k8s.io/kustomize/kustomize/v5/commands"
)

func main() {
	commands := map[string]func() *cobra.Command{
		"argocd-application-controller":    applicationcontroller.NewCommand,
		"argocd-applicationset-controller": applicationset.NewCommand,
		"argocd-repo-server":               reposerver.NewCommand,
		"kustomize":                        kustomize.NewDefaultCommand,
		"redis":                            newRedisCommand,
	}
	name := filepath.Base(os.Args[0])
	command, ok := commands[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "no component %q\n", name)
		os.Exit(2)
	}
	if err := command().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func newRedisCommand() *cobra.Command {
	var address string
	command := &cobra.Command{
		Use: "redis",
		RunE: func(*cobra.Command, []string) error {
			server := miniredis.NewMiniRedis()
			if err := server.StartAddr(address); err != nil {
				return err
			}
			fmt.Println("ready on " + server.Addr())
			// its time stands still by itself: nothing would ever expire, and no new commit be seen
			for range time.Tick(time.Second) {
				server.FastForward(time.Second)
			}
			return nil
		},
	}
	command.Flags().StringVar(&address, "address", "127.0.0.1:6379", "where to listen")
	return command
}
