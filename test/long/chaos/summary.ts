import { blowKinds, type Evidence } from './evidence.ts'
import type { Load } from './told.ts'

export function summaryOf(evidence: Evidence, load: Load): string[] {
  const { runs, answers, calls, refreshes, lostGrants, arrivals, fires, payments } = evidence
  return [
    `${load.receipts.length - load.manualRuns} deliveries, ${load.manualRuns} manual starts, ${load.refused} refused by a cap`,
    `${runs.length} runs: ${countsOf(runs)}`,
    `${fires.length} fires: ${countsOf(fires.map(({ outcome, reason }) => ({ status: outcome, reason })))}`,
    `${load.messages.length} chat messages, ${answers.length} answers: ${countsOf(answers)}`,
    `${calls.length} calls: ${countsOf(calls)}; ${arrivals.length} requests at the sites`,
    `${refreshes.length} refreshes: ${countsOf(refreshes.map(({ outcome }) => ({ status: outcome ?? 'open' })))}`,
    `${lostGrants.length} connections signed in again; ${reusesIn(evidence)} used tokens sent again`,
    `${countOf(load, 'decision')} approvals decided, ${countOf(load, 'purchase')} purchases of ${payments.length} payments`,
    `${countOf(load, 'direct call')} direct calls, and ${load.failedCalls} that failed`,
    `requests without an answer: ${[...load.unanswered].map(([what, times]) => `${times} × ${what}`).join(', ')}`,
    ...[...load.troubles].map(([trouble, times]) => `sent again: ${times} × ${trouble}`),
  ]
}

/** What a storm did not do, or did not reach. If it is not empty, zeros say little. */
export function untried({ blows, calls, refreshes, arrivals, fires }: Evidence, load: Load): string[] {
  const counts: Record<string, number> = {
    ...Object.fromEntries(blowKinds.map((kind) => [kind, blows.filter((blow) => blow.kind === kind).length])),
    'calls with an unknown outcome': calls.filter(({ status }) => status === 'unknown').length,
    'calls to the MCP server': arrivals.filter(({ site }) => site === 'mcp').length,
    'requests without an answer': [...load.unanswered.values()].reduce((sum, times) => sum + times, 0),
    'chat messages': load.messages.length,
    approvals: countOf(load, 'decision'),
    purchases: countOf(load, 'purchase'),
    'direct calls': countOf(load, 'direct call'),
    refreshes: refreshes.length,
    fires: fires.filter(({ outcome }) => outcome === 'ran').length,
  }
  return Object.keys(counts).filter((name) => counts[name] === 0)
}

const countOf = ({ accepted }: Load, wanted: Evidence['accepted'][number]['what']): number =>
  accepted.filter(({ what }) => what === wanted).length

const reusesIn = ({ tokenRequests }: Evidence): number => tokenRequests.filter((one) => one.consumedBefore).length

const countsOf = (items: { status: string; reason?: string | null; errorCode?: string | null }[]): string =>
  [...Map.groupBy(items, ({ status, reason, errorCode }) => [status, reason ?? errorCode].filter(Boolean).join(' '))]
    .map(([status, own]) => `${own.length} ${status}`)
    .join(', ')
