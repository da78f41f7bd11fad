import type { Approval } from '../approvals/approval.ts'
import { advise, request } from './actions.ts'

/** How to decide about a call, or to answer what its site asks. */
export const decisionAdvice = ({ id, formNumber }: Pick<Approval, 'id' | 'formNumber'>) =>
  formNumber > 0
    ? advise`To read the form, use ${request('readApproval', id)}. To answer or refuse, use ${request('answer', id)}.`
    : advise`To review the arguments, use ${request('readApproval', id)}. To approve or refuse the call, use ${request('decide', id)}.`
