import type { Processes } from '../../processes/processes.ts'
import { failing, fine, type Check } from '../finding.ts'

/** Whether an API process has fallen silent without having signed off. The check of workers says so of workers. */
export const processes: Check<{ processes: Pick<Processes, 'troubles'> }> = {
  name: 'processes',
  needs: ['schema'],
  async look({ processes: record }) {
    const { frozen } = await record.troubles()
    const silent = frozen.filter(({ kind }) => kind === 'api')
    if (silent.length === 0) return fine('No API process is silent.')
    const list = silent.map(({ id, silentSeconds }) => `${id} (for ${Math.round(silentSeconds)} seconds)`).join(', ')
    return failing(
      `API processes are silent without having signed off: ${list}. They are frozen, cut off from Postgres, or were killed.`,
      'Restart them. One that was killed and replaced is forgotten after ten minutes.',
    )
  },
}
