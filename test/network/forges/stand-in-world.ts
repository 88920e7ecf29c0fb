import {
  closeHeld,
  commitOf,
  deleteBranch,
  type ForgeServer,
  forgeTokens,
  hold,
  holdStatus,
  type HeldPullRequest,
} from '../../../tools/servers/forge-state.ts'
import type { ForgeWorld } from './forge-lab.ts'

/** What people and other programs do on a stand-in. */
export function standInWorld<Server extends ForgeServer>(
  server: Server,
  kind: ForgeWorld['kind'],
): ForgeWorld & { readonly server: Server } {
  const { state } = server
  const held = (number: number): HeldPullRequest => {
    const found = state.pullRequests[number - 1]
    if (found === undefined) throw new Error(`no ${number}`)
    return found
  }
  return {
    server,
    kind,
    url: server.url,
    token: forgeTokens.write,
    readToken: forgeTokens.read,
    addBranch: (name) => {
      state.branches.set(name, commitOf(name))
      return Promise.resolve(commitOf(name))
    },
    deleteBranch: (name) => {
      deleteBranch(state, name)
      return Promise.resolve()
    },
    merge: (number) => {
      if (held(number).state !== 'open') return Promise.reject(new Error('it is not open'))
      held(number).state = 'merged'
      return Promise.resolve()
    },
    close: (number) => {
      closeHeld(state, held(number))
      return Promise.resolve()
    },
    writeBody: (number, body) => {
      held(number).body = body
      return Promise.resolve()
    },
    openFromFork: (branch) => {
      state.forkBranches.set(branch, commitOf(`fork ${branch}`))
      hold(state, { title: 'from a fork', body: '', head: branch, base: 'main', isDraft: false }, true)
      return Promise.resolve()
    },
    setStatus: (commit, context, status) => {
      const word = kind === 'gitlab' && status === 'failure' ? 'failed' : status
      holdStatus(state, { commit, context, state: word, text: '', url: '' })
      return Promise.resolve()
    },
    requireStatus: (context) => {
      state.required = context
      return Promise.resolve()
    },
  }
}
