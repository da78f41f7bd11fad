import type { Processes } from '../../processes/processes.ts'
import { failing, fine, type Check } from '../finding.ts'

/** Whether a process has fallen silent without having signed off, and no later one has replaced it. */
export const processes: Check<{ processes: Pick<Processes, 'troubles'> }> = {
  name: 'processes',
  needs: ['schema', 'workers'],
  async look({ processes: record }) {
    const { frozen } = await record.troubles()
    if (frozen.length === 0) return fine('No process is silent.')
    const list = frozen
      .map(({ kind, id, silentSeconds }) => `${kind} ${id} (for ${Math.round(silentSeconds)} seconds)`)
      .join(', ')
    return failing(
      `Processes are silent without having signed off: ${list}. They are frozen, cut off from Postgres, or were killed.`,
      'Restart them. One that was killed is forgotten once another of its kind has started, or after ten minutes.',
    )
  },
}
