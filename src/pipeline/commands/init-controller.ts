import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { InstallOptions } from '../../model/install-options.ts'
import type { PackageFiles } from '../../model/ports.ts'
import { controllerFiles } from './controller-manifests.ts'

/** A new fleet has the controller: by which image, applied by which tool. */
export interface InitController {
  readonly image: string
  readonly tool: GitopsTool
}

/** The parts that a new fleet with the controller adds. */
export interface ControllerParts {
  /** Texts by their paths in the fleet. */
  readonly files: ReadonlyMap<string, string>
  /** Puts it into the file that points the tool at the fleet. */
  readonly intoBootstrap: (text: string) => string
}

const FOLDER = 'bootstrap/controller'

/** Lines of the file that points the tool at the fleet: definitions come with the controller. */
const definitionsByHand =
  /^# If rendered\/ holds objects of stackmason\.dev .*\n#   stackmason controller definitions .*\n/m

/** Reads and makes what the controller takes. */
export async function controllerParts(
  { image, tool }: InitController,
  packageFiles: PackageFiles,
): Promise<ControllerParts> {
  const files = await controllerFiles(installation(image, tool), packageFiles)
  const unit = decodeUtf8(await packageFiles.read(`templates/controller/${tool}.yaml`))
  return {
    files: new Map(files.map(({ name, text }) => [`${FOLDER}/${name}`, text])),
    intoBootstrap: (text) => `${tool === 'flux' ? dependent(text) : comesFirst(text)}${unit}`,
  }
}

/** The fleet is applied when the definitions are there; it does not wait for the pods, whose image may be missing. */
function dependent(text: string): string {
  return `${text.replace(definitionsByHand, '')}  # definitions of our kinds come first\n  dependsOn:\n    - name: stackmason-controller\n`
}

/** Argo CD knows no order of Applications. */
function comesFirst(text: string): string {
  return text.replace(
    definitionsByHand,
    '# Definitions of the kinds of stackmason.dev come with the controller; so that they are there first:\n' +
      `#   kubectl apply --server-side -k ${FOLDER}\n`,
  )
}

function installation(image: string, tool: GitopsTool): InstallOptions {
  return {
    image,
    namespace: 'stackmason-system',
    replicas: 2,
    kinds: [],
    namespaces: [],
    shard: '',
    arguments: [],
    secrets: true,
    argoNamespace: tool === 'argocd' ? 'argocd' : '',
    sources: [],
    migrated: [],
    environment: [],
    pullSecrets: [],
    metricsSecret: '',
    leasesFirst: false,
  }
}
