import type { Lock } from '../../model/lock.ts'
import type { Ports } from '../../model/ports.ts'
import { parseLock } from './parse-lock.ts'
