import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { installFiles, type InstallFile } from '../../install/install-manifests.ts'
import type { InstallOptions } from '../../model/install-options.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { unwritable } from '../../model/file-problem.ts'
import { FileError, type PackageFiles, type Ports } from '../../model/ports.ts'

/** Files of the package that define our kinds. */
const DEFINITIONS = 'templates/crds'
const KUSTOMIZATION = 'kustomization.yaml'

/**
 * With a definition go all objects of its kind, and with a namespace all that is in it: no tool deletes them because a
 * file is gone.
 */
const keptKinds = ['CustomResourceDefinition', 'Namespace'] as const

/**
 * The objects that install the controller, as one text of YAML; with a folder they are written there, with a
 * kustomization.yaml, and the names of the files are the text.
 * @throws StackmasonError WRITE_FAILED
 */
export async function controllerManifests(
  options: InstallOptions,
  folder: string | undefined,
  { files, packageFiles }: Pick<Ports, 'files' | 'packageFiles'>,
): Promise<string> {
  const written = await controllerFiles(options, packageFiles)
  if (folder === undefined) {
    const objects = written.filter(({ name }) => name !== KUSTOMIZATION)
    return objects.map(({ text }) => text).join('---\n')
  }
  for (const { name, text } of written) {
    const file = joinPath(folder, name)
    try {
      await files.write(file, encodeUtf8(text))
    } catch (cause) {
      if (!(cause instanceof FileError)) throw cause
      throw new StackmasonError(unwritable(cause, file), { cause })
    }
  }
  return written.map(({ name }) => `${joinPath(folder, name)}\n`).join('')
}

/** The definitions of our own kinds, as one text of YAML. */
export async function controllerDefinitions({ packageFiles }: Pick<Ports, 'packageFiles'>): Promise<string> {
  return (await readDefinitions(packageFiles)).map(({ text }) => text).join('---\n')
}

/** The files of a folder that installs the controller. */
export async function controllerFiles(
  options: InstallOptions,
  packageFiles: PackageFiles,
): Promise<readonly InstallFile[]> {
  const files = installFiles(options, await readDefinitions(packageFiles))
  return [...files, kustomization(files)]
}

async function readDefinitions(packageFiles: PackageFiles): Promise<readonly InstallFile[]> {
  const names = await packageFiles.names(DEFINITIONS)
  return Promise.all(
    names.map(async (name) => ({ name, text: decodeUtf8(await packageFiles.read(`${DEFINITIONS}/${name}`)) })),
  )
}

function kustomization(files: readonly InstallFile[]): InstallFile {
  const patches = keptKinds.flatMap((kind) => [
    '  - target:',
    `      kind: ${kind}`,
    '    patch: |-',
    '      - op: add',
    '        path: /metadata/annotations',
    '        value:',
    '          argocd.argoproj.io/sync-options: Prune=false,Delete=false',
    '          kustomize.toolkit.fluxcd.io/prune: disabled',
  ])
  const lines = [
    'apiVersion: kustomize.config.k8s.io/v1beta1',
    'kind: Kustomization',
    'resources:',
    ...files.map(({ name }) => `  - ${name}`),
    'patches:',
    ...patches,
    '',
  ]
  return { name: KUSTOMIZATION, text: lines.join('\n') }
}
