import { startLoop } from '../src/loop.ts'
import { reportSeconds, type ProcessKind } from '../src/processes/processes.ts'
import type { ProcessContext } from './process.ts'

/** Reports this process as present until the returned function is called, which signs it off. */
export function startPresence(
  { logger, services: { processes } }: Pick<ProcessContext, 'logger' | 'services'>,
  kind: ProcessKind,
): () => Promise<void> {
  const loop = startLoop('processes', reportSeconds, logger, () => processes.report(kind))
  return async () => {
    await loop.stop()
    await processes.signOff().catch((error: unknown) => logger.warn({ err: error }, 'failed to sign off'))
  }
}
