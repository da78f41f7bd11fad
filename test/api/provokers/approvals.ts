import * as approvals from '../../../api/approvals.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import type { Table } from './table.ts'

export function approvalsTable({ owner, params }: Stage, { ask }: Recorder): Table {
  const { approvalId = '' } = params
  return {
    listApprovals: { done: () => ask(owner, approvals.listApprovals) },
    getApproval: { done: () => ask(owner, approvals.getApproval, { params: { approvalId } }) },
    decideApproval: {
      done: () => ask(owner, approvals.decideApproval, { params: { approvalId }, body: { decision: 'approve' } }),
    },
  }
}
