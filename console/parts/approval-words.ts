import type { Api } from '../api/client.ts'

type Status = Api['ApprovalStatus']
type Tool = Pick<Api['VaultTool'], 'effect' | 'scope'>

/** What came of an approval, in a sentence for somebody who did not decide it. */
export const endingOf = ({ status, form }: { status: Exclude<Status, 'pending'>; form: Api['Approval']['form'] }) =>
  (form === null ? endings : formEndings)[status]

const formEndings: typeof endings = {
  approved: 'Answered. The site gets the values, and continues the call.',
  refused: 'Refused. The platform tells the site so, and the site ends the call.',
  expired: 'Nobody answered in time. The call did not come to its end, and the model was told so.',
  withdrawn: 'Withdrawn, and nothing was sent: its run or answer ended, or its tool was removed.',
}

const endings: Record<Exclude<Status, 'pending'>, string> = {
  approved: 'Approved. The call is made with exactly these arguments.',
  refused: 'Refused. The call was not made. The model was told and went on without it.',
  expired: 'Nobody decided in time. The call was not made. The model was told and went on without it.',
  withdrawn: 'Withdrawn, and the call was not made: its run or answer ended, or its tool was removed.',
}

export const tones = {
  pending: 'warn',
  approved: 'good',
  refused: 'bad',
  expired: 'calm',
  withdrawn: 'calm',
} as const satisfies Record<Status, string>

export const effects: Record<Api['Effect'], string> = {
  read: 'Only reads. The call changes nothing at the site.',
  idempotent: 'Changes something. Calling it twice has the same effect as calling it once.',
  once: 'Changes something each time it is called. It is never sent twice.',
}

export const scopes: Record<Api['Scope'], string> = {
  read: 'It may only read.',
  write: 'It may write.',
  delete: 'It may delete.',
  admin: 'It may administer.',
}

/** Whether approving asks once more. A tool that is not known may do anything. */
export const isDestructive = (tool: Tool | undefined): boolean =>
  tool === undefined || (tool.effect !== 'read' && (tool.scope === 'delete' || tool.scope === 'admin'))

/** The result of a decision. `note` is the one that was sent; another one was recorded if somebody else was faster. */
export function outcomeInWords(
  approval: Pick<Api['Approval'], 'status' | 'note' | 'tool'> & { form?: Api['Approval']['form'] },
  note: string,
): string {
  const verb = approval.status === 'approved' ? 'approved' : 'refused'
  if ((approval.note ?? '') !== note) return `Somebody else ${verb} the call first, so your note was not recorded.`
  if (approval.form)
    return verb === 'approved' ? `Answered: ${approval.tool} continues.` : `Refused: ${approval.tool} gets no answer.`
  return verb === 'approved' ? `Approved: ${approval.tool} is called now.` : `Refused: ${approval.tool} is not called.`
}
