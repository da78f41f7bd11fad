import type { Processes } from '../../processes/processes.ts'
import { failing, fine, type Check } from '../finding.ts'

/** Whether the loops of all present processes finish their rounds. */
export const loops: Check<{ processes: Pick<Processes, 'troubles'> }> = {
  name: 'loops',
  needs: ['schema'],
  async look({ processes }) {
    const { dead } = await processes.troubles()
    if (dead.length === 0) return fine('All loops finish their rounds.')
    const list = dead
      .map(
        ({ name, kind, processId, quietSeconds }) =>
          `"${name}" of the ${kind} ${processId} (for ${Math.round(quietSeconds)} seconds)`,
      )
      .join(', ')
    return failing(
      `Loops have given no sign of life: ${list}.`,
      'Restart these processes, and report it with their logs. Other processes do the same work meanwhile.',
    )
  },
}
