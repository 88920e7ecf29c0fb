import { joinPath } from '../../codec/path.ts'
import type { Environment } from '../../model/ports.ts'

/** A file in which programs keep credentials for registries. */
export interface CredentialFile {
  readonly path: string
  /** True if it must be there, because a variable names it. */
  readonly isNamed: boolean
}

/**
 * Where credentials for registries may be, first match wins: what REGISTRY_AUTH_FILE and DOCKER_CONFIG name, then where
 * the Docker client and Podman keep them (docker/cli, cli/config; containers/image, containers-auth.json(5)).
 */
export function credentialFiles(environment: Environment): readonly CredentialFile[] {
  const get = (name: string): string => (environment.get(name) ?? '').replaceAll('\\', '/')
  const home = get('HOME') || get('USERPROFILE')
  const docker = get('DOCKER_CONFIG')
  const candidates = [
    { path: get('REGISTRY_AUTH_FILE'), isNamed: true },
    // the Docker client takes a folder that holds no file for one without credentials
    { path: below(docker || below(home, '.docker'), 'config.json'), isNamed: false },
    { path: below(get('XDG_RUNTIME_DIR'), 'containers/auth.json'), isNamed: false },
    { path: below(get('XDG_CONFIG_HOME') || below(home, '.config'), 'containers/auth.json'), isNamed: false },
  ]
  return candidates.filter(({ path }) => path !== '')
}

function below(folder: string, name: string): string {
  return folder === '' ? '' : joinPath(folder, name)
}
