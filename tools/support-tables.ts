import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { forgeAbilities } from '../src/model/forge.ts'
import { kubernetesModules } from './kube-schemas.ts'
import { nodeVersions } from './node.ts'

/** What the tests run against, from what pins it: the page of supported versions. */
export function supportTables(root: string): string {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const module = (folder: string, path: string): string =>
    new RegExp(`^\\s*(?:require )?${path.replaceAll('.', '\\.')} (v\\S+)`, 'm').exec(
      read(`tools/${folder}/go.mod`),
    )?.[1] ?? missing(path, folder)
  const { engines }: { readonly engines: { readonly node: string } } = JSON.parse(read('package.json'))
  const minors = kubernetesModules.map(({ minor }) => minor)
  const rows = [
    [
      'Node.js',
      `\`${engines.node.replaceAll('|', '\\|')}\``,
      `v${nodeVersions.lowest.version}, v${nodeVersions.lts.version}`,
    ],
    [
      'Kubernetes, as `check` knows its kinds',
      `${minors[0] ?? ''} to ${minors.at(-1) ?? ''}`,
      `schemas of ${String(minors.length)} minors`,
    ],
    ['Kubernetes, as an API server', 'as the GitOps tool supports it', module('kube', 'k8s.io/kubernetes')],
    ['Cluster API', '1.9; 1.11 for kinds of `v1beta2`', module('capi', 'sigs.k8s.io/cluster-api')],
    [
      'Flux, kustomize-controller',
      'Flux 2.7; 2.9 for all that is described',
      module('kube/flux', 'github.com/fluxcd/kustomize-controller'),
    ],
    ['Argo CD', '3.3', module('argocd', 'github.com/argoproj/argo-cd/v3')],
    ['Helm, as the engine follows it', '3 and 4', module('helm', 'helm.sh/helm/v4')],
    ...Object.values(forgeAbilities).map(({ name, kind }) => [
      name,
      'see [Forges](30-forges.md)',
      kind === 'gitea' ? `Gitea ${giteaVersion(read)}` : 'a server that is held against its documentation',
    ]),
  ]
  return [['part', 'needs', 'tested with'], ['---', '---', '---'], ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
}

function giteaVersion(read: (path: string) => string): string {
  return /v\d+\.\d+\.\d+/.exec(read('tools/gitea.ts'))?.[0] ?? missing('a version', 'gitea.ts')
}

function missing(what: string, where: string): never {
  throw new Error(`tools/${where} names no version of ${what}`)
}
