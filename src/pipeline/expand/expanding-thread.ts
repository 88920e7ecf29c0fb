import { PlainReceiver, PlainSender } from '../../codec/plain-text.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { Crypto, Deadline, ThreadMessage } from '../../model/ports.ts'
import type { Release } from '../../model/release.ts'
import type { HandoffSources } from '../deliver/handoff-templates.ts'
import { createExpander } from './create-expander.ts'
import type { ClusterUnit } from './cluster-unit.ts'
import { packContents } from './packed-contents.ts'
import { renderOptions } from './render-options.ts'
import { type ClusterContent, createContentMaker, expandTogether } from './unit-results.ts'

/** The settings of a thread that expands units: plain data. */
export interface ThreadSettings {
  readonly fleet: Fleet
  readonly sources: HandoffSources | undefined
  readonly until: 'rendered' | 'handoff'
  /** Those that units have in common, so that each is sent once. */
  readonly releases: readonly Release[]
}

/** A question to a thread: first the settings, then units. */
export type ThreadQuestion =
  | { readonly kind: 'settings'; readonly settings: ThreadSettings }
  | { readonly kind: 'units'; readonly units: readonly ClusterUnit[] }

/** The ports of a thread that expands units. */
export interface ThreadPorts {
  readonly crypto: Crypto
  readonly deadline: Deadline
  /** Milliseconds from some fixed start. */
  readonly elapsed: () => number
}

/** Returns what answers the messages to a thread that expands clusters. */
export function createExpandingThread(ports: ThreadPorts): (message: ThreadMessage) => ThreadMessage {
  const receiver = new PlainReceiver()
  const sender = new PlainSender()
  let expand: (units: readonly ClusterUnit[]) => readonly ClusterContent[] = () => []
  return (message) => {
    const question = receiver.receive(message)
    if (!isQuestion(question)) throw new Error('not a question to a thread')
    if (question.kind === 'settings') expand = expandWith(question.settings, ports)
    return sender.send(question.kind === 'settings' ? undefined : packContents(expand(question.units)))
  }
}

function expandWith(
  { fleet, sources, until }: ThreadSettings,
  ports: ThreadPorts,
): (units: readonly ClusterUnit[]) => readonly ClusterContent[] {
  const { deadline, crypto } = ports
  const expander = createExpander({ fleet, render: renderOptions(fleet, ports), sources, until })
  const maker = createContentMaker(expander.tool, crypto)
  return (units) => expandTogether(units, { expander, deadline }).map(([, expanded]) => maker.cluster(expanded))
}

/** Both sides are one program. */
function isQuestion(value: unknown): value is ThreadQuestion {
  return typeof value === 'object' && value !== null && 'kind' in value
}
