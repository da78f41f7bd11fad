import { decisionAdvice } from './decision-advice.ts'
import { causeOf, utcTime, type Cause } from './cause.ts'
import { siteOf } from './current-work.ts'
import type { HeadRun, OpenCall } from './facts.ts'

/** One cause per call that needs an approval; the one that expires first comes first. */
export const unapprovedCalls = (head: HeadRun): Cause[] =>
  head.calls
    .flatMap(({ approval, ...call }) => (approval ? [{ ...call, approval }] : []))
    .toSorted((one, other) => Number(one.approval.expiresAt) - Number(other.approval.expiresAt))
    .map((call) => unapproved(head, call, call.approval))

function unapproved(
  { run }: HeadRun,
  call: Omit<OpenCall, 'approval'>,
  { id, requestedAt: since, expiresAt: until, formNumber }: NonNullable<OpenCall['approval']>,
): Cause {
  const called = `its call to ${call.tool ?? call.name} at ${siteOf(call)}`
  const what = formNumber > 0 ? `a person to answer the form of ${called}` : `approval of ${called}`
  const message = `Run ${run.sequence} has been waiting for ${what} since ${utcTime(since)}. At ${utcTime(until)}, it will continue without the call.`
  return causeOf({
    code: 'APPROVAL',
    runId: run.id,
    sequence: run.sequence,
    since,
    until,
    step: call.step,
    site: call.siteOrigin,
    message,
    action: decisionAdvice({ id, formNumber }),
  })
}
