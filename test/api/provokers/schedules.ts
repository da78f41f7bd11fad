import * as schedules from '../../../api/schedules.ts'
import { agentOf } from '../../helpers/people.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import type { Table } from './table.ts'

export function schedulesTable({ owner, params }: Stage, { ask }: Recorder): Table {
  const { agentId = '' } = params
  return {
    getSchedule: {
      async done() {
        const { id } = await agentOf(owner, { trigger: 'scheduled', cron: '0 9 * * 1', timeZone: 'Europe/Berlin' })
        return ask(owner, schedules.getSchedule, { params: { agentId: id } })
      },
      // The agent of the stage is started by webhooks.
      NOT_FOUND: () => ask(owner, schedules.getSchedule, { params: { agentId } }),
    },
    listFires: { done: () => ask(owner, schedules.listFires, { params: { agentId } }) },
  }
}
