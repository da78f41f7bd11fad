import { failing, fine, warning, type Check } from '../finding.ts'

/**
 * The oldest Node that the package allows, and years after which data of time zones is likely to be wrong somewhere.
 */
const oldestNode = 22
const oldZones = 3

/** Node's version, and the age of its time zones, by which schedules fire. Those of Postgres are not used. */
export const program: Check<{ clock: { now(): Date } }> = {
  name: 'program',
  async look({ clock }) {
    const { node, tz = '' } = process.versions
    if (Number.parseInt(node, 10) < oldestNode)
      return failing(`Node is version ${node}.`, 'Start the processes with the npm scripts, which bring Node 24.')
    const year = Number.parseInt(tz, 10)
    if (!(clock.now().getUTCFullYear() - year < oldZones))
      return warning(`The time zones of Node are those of ${tz || 'an unknown year'}.`, 'Install a newer Node.')
    return fine(`Node ${node} has time zones of ${tz}.`)
  },
}
