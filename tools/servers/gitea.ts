import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, copyFile, cp, link, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type GiteaFiles, giteaFiles } from '../gitea.ts'
import { freePorts, type ServerUser, startChildServer } from './child-server.ts'

/** A Gitea that runs. */
export interface GiteaServer {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string
  /** Asks its API as one of its users, `admin` or another; gives the answer's JSON. */
  readonly ask: (user: string, request: GiteaRequest) => Promise<unknown>
  /** A user of that name, with a token of these scopes. */
  readonly addUser: (name: string, scopes: readonly string[]) => Promise<string>
  /** The token of a user with other scopes. */
  readonly addToken: (name: string, scopes: readonly string[]) => Promise<string>
  /** Where its repositories lie, by owner and name: `acme/fleet.git`. */
  readonly repositories: string
  readonly log: () => string
  readonly close: () => Promise<void>
}

/** A question to its API. */
export interface GiteaRequest {
  /** Method and path below `/api/v1`: `POST /user/repos`. */
  readonly to: string
  readonly body?: object
}

const run = promisify(execFile)
const readyWithin = 60_000
/** How often a read is asked when the server fails. */
const readTries = 5
const admin = 'admin'
/** Gitea refuses to be root: then it is nobody. */
const nobody: ServerUser = { uid: 65_534, gid: 65_534 }

/**
 * True if Gitea can be had. Tests skip themselves without it, saying so once; in CI they must not.
 * @throws Error in CI when it is missing
 */
export function hasGitea(): boolean {
  if (giteaFiles() !== undefined) return true
  if (process.env['CI'] !== undefined)
    throw new Error('no Gitea: tests on it cannot run; npx tsx tools/gitea.ts builds it')
  console.warn('SKIPPED, no Gitea: tests on it; npx tsx tools/gitea.ts builds it')
  return false
}

/** Starts the real Gitea, empty but for its administrator. It dies with this process; close it when done. */
export async function startGitea(): Promise<GiteaServer> {
  const built = giteaFiles()
  if (built === undefined) throw new Error('no Gitea')
  const user = process.getuid?.() === 0 ? nobody : undefined
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stackmason-gitea-')))
  const files = user === undefined ? built : await filesFor(user, built, folder)
  const [port = 0] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`
  const config = join(folder, 'app.ini')
  await writeFile(config, configuration({ folder, files, port, url }))
  // it adds secrets of its own
  if (user !== undefined) await chown(config, user.uid, user.gid)
  const env = { HOME: folder, GITEA_WORK_DIR: folder, PATH: process.env['PATH'] ?? '' }
  const command = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run(files.program, [...args, '-c', config], { cwd: folder, env, ...user })
    return stdout
  }
  const password = randomBytes(16).toString('hex')
  await command('migrate')
  const created = `admin user create --admin --must-change-password=false --username ${admin} --password ${password}`
  await command(...created.split(' '), '--email', `${admin}@example.org`)
  const server = startChildServer(files.program, {
    args: ['web', '-c', config],
    logFile: join(folder, 'gitea.log'),
    env,
    ...(user !== undefined && { user }),
  })
  const close = async (): Promise<void> => {
    await server.kill()
    await rm(folder, { recursive: true, force: true })
  }
  const end = performance.now() + readyWithin
  while ((await fetch(`${url}/api/healthz`).catch(() => undefined))?.status !== 200) {
    if (server.status() !== undefined || performance.now() > end) {
      const said = server.log().slice(-4000)
      await close()
      throw new Error(`Gitea did not start:\n${said}`)
    }
    await setTimeout(50)
  }
  const passwords = new Map([[admin, password]])
  const ask = async (name: string, { to, body }: GiteaRequest): Promise<unknown> => {
    const login = Buffer.from(`${name}:${passwords.get(name) ?? ''}`).toString('base64')
    const [method = '', path = ''] = to.split(' ')
    for (let tries = 1; ; tries++) {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Basic ${login}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      // on a busy machine it fails now and then while it takes in a push
      if (answer.status >= 500 && method === 'GET' && tries < readTries) {
        await setTimeout(500)
        continue
      }
      if (answer.status >= 500) throw new Error(`${to}: ${answer.status} ${text}\n${server.log().slice(-4000)}`)
      if (answer.status >= 400) throw new Error(`${to}: ${answer.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    }
  }
  let tokens = 0
  const addToken = async (name: string, scopes: readonly string[]): Promise<string> => {
    const made = await ask(name, { to: `POST /users/${name}/tokens`, body: { name: `t${++tokens}`, scopes } })
    return String(Object.assign({ sha1: '' }, made).sha1)
  }
  return {
    url,
    ask,
    addUser: async (name, scopes) => {
      const own = randomBytes(16).toString('hex')
      await ask(admin, {
        to: 'POST /admin/users',
        body: { username: name, email: `${name}@example.org`, password: own, must_change_password: false },
      })
      passwords.set(name, own)
      return addToken(name, scopes)
    },
    addToken,
    repositories: join(folder, 'repositories'),
    log: server.log,
    close,
  }
}

/** The program where another user may read it: the cache may lie in the home of root. */
async function filesFor(user: ServerUser, built: GiteaFiles, folder: string): Promise<GiteaFiles> {
  const program = join(folder, 'bin/gitea')
  const resources = join(folder, 'resources')
  await mkdir(dirname(program))
  await link(built.program, program).catch(() => copyFile(built.program, program))
  for (const name of ['options', 'templates', 'public'])
    await cp(join(built.resources, name), join(resources, name), { recursive: true })
  await chown(folder, user.uid, user.gid)
  return { program, resources }
}

function configuration(place: {
  readonly folder: string
  readonly files: GiteaFiles
  readonly port: number
  readonly url: string
}): string {
  const { folder, files, port, url } = place
  const secret = randomBytes(32).toString('hex')
  const sections: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    server: {
      HTTP_ADDR: '127.0.0.1',
      HTTP_PORT: String(port),
      ROOT_URL: `${url}/`,
      STATIC_ROOT_PATH: files.resources,
      APP_DATA_PATH: join(folder, 'data'),
      OFFLINE_MODE: 'true',
      DISABLE_SSH: 'true',
      LFS_START_SERVER: 'false',
    },
    database: {
      DB_TYPE: 'sqlite3',
      PATH: join(folder, 'gitea.db'),
      LOG_SQL: 'false',
      // half a second otherwise: too little where other tests have the processors
      SQLITE_TIMEOUT: '30000',
      SQLITE_JOURNAL_MODE: 'WAL',
    },
    security: { INSTALL_LOCK: 'true', SECRET_KEY: secret, INTERNAL_TOKEN: secret },
    repository: { ROOT: join(folder, 'repositories'), DEFAULT_BRANCH: 'main' },
    service: { DISABLE_REGISTRATION: 'true' },
    log: { MODE: 'console', LEVEL: 'warn', ROOT_PATH: join(folder, 'log') },
    indexer: { ISSUE_INDEXER_TYPE: 'db' },
    actions: { ENABLED: 'false' },
    cron: { ENABLED: 'false' },
    mailer: { ENABLED: 'false' },
    // fewer than anybody asks for: so lists have pages
    api: { DEFAULT_PAGING_NUM: '5', MAX_RESPONSE_ITEMS: '5' },
  }
  const lines = Object.entries(sections).flatMap(([name, entries]) => [
    `[${name}]`,
    ...Object.entries(entries).map(([key, value]) => `${key} = ${value}`),
  ])
  return ['APP_NAME = Gitea', 'RUN_MODE = prod', `WORK_PATH = ${folder}`, ...lines, ''].join('\n')
}
