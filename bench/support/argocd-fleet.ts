import { connect, createServer } from 'node:net'
import { applicationReference } from '../../tools/servers/argocd.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import type { KubeObject } from '../../tools/servers/kube-client.ts'

/** A commit that Argo CD can fetch, and how many steps were done in it. */
export interface Pushed {
  readonly head: string
  readonly steps: number
}

/** A fleet whose commits go to a bare repository that a git server serves. */
export class ServedFleet extends FleetFolder {
  readonly #remote: string

  /**
   * @param folder where the fleet lies; made when it is not there
   * @param remote the bare repository
   */
  constructor(folder: string, remote: string) {
    super(folder)
    this.#remote = remote
  }

  /** Commits all that is there, and pushes it. */
  push(): string {
    const head = this.commit()
    this.git('push', '-q', this.#remote, 'HEAD:main')
    return head
  }

  /** Renders with this checkout, commits and pushes. */
  async step(): Promise<Pushed> {
    const { steps = [] } = await this.render({ allowEmpty: true })
    return { head: this.push(), steps: steps.length }
  }
}

/** The definition of a kind of the provider for development, without a schema. */
export function providerCrd(kind: string): KubeObject {
  const singular = kind.toLowerCase()
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.infrastructure.cluster.x-k8s.io` },
    spec: {
      group: 'infrastructure.cluster.x-k8s.io',
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      scope: 'Namespaced',
      versions: [{ name: 'v1beta2', served: true, storage: true, schema }],
    },
  }
}

/** The Application that docs/18-argocd.md lets a user write, for a fleet of this name. */
export function rootApplication(name: string, repoURL: string): KubeObject {
  return {
    ...applicationReference(name),
    spec: {
      project: 'default',
      source: { repoURL, targetRevision: 'main', path: 'rendered/handoff' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'argocd' },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['ServerSideApply=true'] },
    },
  }
}

/** The AppProject that every installation starts with. */
export const defaultProject: KubeObject = {
  ...applicationReference('default'),
  kind: 'AppProject',
  spec: {
    sourceRepos: ['*'],
    destinations: [{ namespace: '*', server: '*' }],
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
  },
}

/** Opens another port to a server of this machine: Argo CD tells clusters apart by their addresses. */
export async function forwardPort(port: number): Promise<number> {
  const listener = createServer((socket) => {
    const onward = connect(port, '127.0.0.1')
    socket.pipe(onward).pipe(socket)
    for (const [end, other] of [
      [socket, onward],
      [onward, socket],
    ] as const)
      end.on('error', () => other.destroy())
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  listener.unref()
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
