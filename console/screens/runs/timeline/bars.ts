import type { RunEvent } from '../../../api/stream.ts'
import {
  begin,
  beginAttempt,
  end,
  failAttempt,
  moment,
  nothingBuilt,
  type Bar,
  type Building,
  type Tone,
} from './building.ts'

type Data = RunEvent['data']

/** The rows of a run's events, which are in order. */
export function barsOf(events: readonly RunEvent[]): Bar[] {
  const building = nothingBuilt()
  for (const event of events) addEvent(building, event)
  return building.bars
}

/** Adds the next event to the rows so far: a row of its own, or a change of one. */
export function addEvent(building: Building, event: RunEvent): void {
  readers[event.kind]?.(building, event, Date.parse(event.at))
}

type Reader = (building: Building, event: RunEvent, at: number) => void

const readers: Record<string, Reader> = {
  accepted: (building, event, at) =>
    begin(building, 'queue', event, at, { kind: 'queue', title: 'In the queue', detail: aheadInWords(event.data) }),
  started: (building, event, at) => end(building, 'queue', event, at, 'calm', ''),
  'step.started': (building, event, at) => beginAttempt(building, stepKey(event.data), event, at, stepBar(event.data)),
  'step.failed': (building, event, at) => {
    const { willRetry, message } = event.data
    failAttempt(building, stepKey(event.data), event, at, message ?? null)
    if (willRetry !== true) end(building, stepKey(event.data), event, at, 'bad', 'failed')
  },
  'step.finished': (building, event, at) => {
    const bar = end(
      building,
      stepKey(event.data),
      event,
      at,
      event.data.outcome ? 'warn' : 'good',
      event.data.outcome ?? 'answered',
    )
    if (bar) bar.detail = event.data.text ?? ''
  },
  'tool.started': (building, event, at) =>
    beginAttempt(building, callKey(event.data), event, at, {
      kind: 'tool',
      title: event.data.tool ?? 'Tool call',
      detail: event.data.site ?? '',
      step: event.data.step ?? null,
      depth: 1,
    }),
  'tool.failed': (building, event, at) =>
    failAttempt(building, callKey(event.data), event, at, event.data.message ?? null),
  'tool.finished': (building, event, at) => finishCall(building, event, at),
  'approval.requested': (building, event, at) =>
    begin(building, `approval ${event.data.approvalId}`, event, at, {
      kind: 'approval',
      title: `Approval of ${event.data.tool ?? 'a call'}`,
      detail: event.data.site ?? '',
      step: event.data.step ?? null,
      approvalId: event.data.approvalId ?? null,
      tone: 'warn',
      outcome: 'waiting',
      depth: 1,
    }),
  'approval.decided': (building, event, at) => {
    const { status = 'decided' } = event.data
    end(building, `approval ${event.data.approvalId}`, event, at, status === 'approved' ? 'good' : 'bad', status)
  },
  'wait.started': (building, event, at) => {
    // The row of the approval says it better.
    if (event.data.cause === 'approval') return
    const title = waitInWords(event.data)
    begin(building, 'wait', event, at, {
      kind: 'wait',
      title,
      detail: event.data.note ?? '',
      tone: 'warn',
      outcome: 'waiting',
    })
  },
  'wait.ended': (building, event, at) => end(building, 'wait', event, at, 'calm', 'over'),
  recovered: (building, event, at) => moment(building, event, at, 'Continued by another execution', event.data.note),
  'context.fitted': (building, event, at) => moment(building, event, at, 'Older steps shortened', event.data.note),
  'model.changed': (building, event, at) =>
    moment(building, event, at, `Model ${event.data.to ?? ''}`, event.data.note),
  'credential.refreshed': (building, event, at) =>
    moment(building, event, at, 'Tokens refreshed', event.data.site ?? ''),
  'cancel.requested': (building, event, at) =>
    moment(building, event, at, 'Cancellation requested', `by ${event.data.by}`),
  ended: (building, event, at) => finishRun(building, event, at),
}

const stepKey = ({ step }: Data): string => `step ${step}`
const callKey = ({ callId }: Data): string => `call ${callId}`

const stepBar = ({ step = 0 }: Data): Partial<Bar> => ({ kind: 'step', title: `Step ${step}`, step })

function aheadInWords({ ahead = 0 }: Data): string {
  if (ahead === 0) return 'Nothing was ahead.'
  return ahead === 1 ? 'One run was ahead.' : `${ahead} runs were ahead.`
}

const causes: Record<string, string> = {
  rate_limit: 'Rate limit',
  credential: 'Reconnection',
  job: 'Site at work',
  paused: 'Agent paused',
  credits: 'Credits',
  model: 'Model away',
}

function waitInWords({ cause = '', site, model }: Data): string {
  const what = causes[cause] ?? cause
  const whose = site ?? model
  return whose ? `${what}: ${whose}` : what
}

/** A call that was refused, or never sent, has no beginning. */
function finishCall(building: Building, event: RunEvent, at: number): void {
  const { status = '', tool, site, step } = event.data
  const key = callKey(event.data)
  if (!building.open.has(key))
    begin(building, key, event, at, {
      kind: 'tool',
      title: tool ?? 'Tool call',
      detail: site ?? '',
      step: step ?? null,
      depth: 1,
    })
  end(building, key, event, at, callTones[status] ?? 'bad', status)
}

const callTones: Record<string, Tone> = { succeeded: 'good', unknown: 'warn' }

const endTones: Record<string, Tone> = { completed: 'good', failed: 'bad' }

function finishRun(building: Building, event: RunEvent, at: number): void {
  const { status = 'ended', message } = event.data
  for (const key of building.open.keys()) end(building, key, event, at, 'calm', 'not finished')
  moment(building, event, at, `Run ${status}`, message ?? '')
  const last = building.bars.at(-1)
  if (last) last.tone = endTones[status] ?? 'calm'
}
