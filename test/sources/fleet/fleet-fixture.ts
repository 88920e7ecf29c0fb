import type { Diagnostic } from '../../../src/model/diagnostic.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { positionAt } from '../../../src/model/source.ts'
import { type ReadFleet, readFleet } from '../../../src/sources/fleet/read-fleet.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { FleetFolder } from '../../../tools/fleets/fleet-folder.ts'

/** Files by path; null leaves a file of the base out. */
export type FileMap = Readonly<Record<string, string | null>>

/** A fleet with one stack and one cluster, nothing wrong in it. */
export const soundFleet: Readonly<Record<string, string>> = {
  'stackmason.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata:
  name: test
spec:
  sources:
    - name: releases
      directory:
        path: releases
`,
  'releases/.keep': '',
  'stacks/scs.yaml': `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata:
  name: scs
  namespace: platform
spec:
  provider: docker
  name: scs
  kubernetesVersion: "1.34"
  versions:
    - v3
`,
  'clusters/team-a/web/cluster.yaml': `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: web
  namespace: team-a
spec:
  topology:
    class: docker-scs-1-34-v3
    classNamespace: platform
    version: v1.34.7
`,
}

/** Writes a fleet: the base with `files` over it. Returns the path of its stackmason.yaml. */
export async function writeFleet(folder: string, files: FileMap): Promise<string> {
  const fleet = new FleetFolder(folder)
  for (const [path, text] of Object.entries({ ...soundFleet, ...files })) if (text !== null) fleet.write(path, text)
  return fleet.path('stackmason.yaml')
}

/** Reads a fleet that must be sound. */
export async function readSound(folder: string, files: FileMap = {}): Promise<ReadFleet> {
  return readFleet(await writeFleet(folder, files), createNodePorts())
}

/** What is wrong with a fleet (errors, else warnings), one text each: code, place, message, hint. */
export async function problemsOf(folder: string, files: FileMap): Promise<readonly string[]> {
  try {
    return (await readSound(folder, files)).findings.map((found) => formatDiagnostic(found, folder))
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics.map((found) => formatDiagnostic(found, folder))
    throw error
  }
}

/** `CODE file:line:column message | hint`, with `warning` in front of a warning; paths are relative to the folder. */
export function formatDiagnostic({ code, severity, message, at, file, hint }: Diagnostic, folder: string): string {
  const position = at === undefined ? undefined : positionAt(at.source, at.start)
  const place =
    at === undefined ? file?.replace(`${folder}/`, '') : `${at.source.name}:${position?.line}:${position?.column}`
  return `${severity === 'warning' ? 'warning ' : ''}${code} ${place} ${message}${hint === undefined ? '' : ` | ${hint}`}`
}
