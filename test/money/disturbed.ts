import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import * as adminCredits from '../../api/admin-credits.ts'
import * as agents from '../../api/agents.ts'
import * as billing from '../../api/billing.ts'
import * as workspaces from '../../api/workspaces.ts'
import { openStage, reconcile, type Stage } from '../crash/stage.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import type { Person } from '../helpers/people.ts'
import type { PlatformProcess } from '../helpers/processes.ts'
import { chance, type Chance } from './chance.ts'
import { contradictionsIn, problemsOfStatements } from './invariants.ts'
import { draw, makePayer, operations, type OperationName, type Payer } from './operations.ts'

interface Plan {
  seed: number
  payers: number
  operations: number
  /** How many are under way at a time. */
  parallel: number
  /** How often a process is killed. */
  kills: number
  /** Called after each operation. */
  onDone?: () => void
}

/** How often each operation was done, and how often each answer came; a request whose answer was lost is `lost`. */
type Tally = Map<string, number>

/**
 * Does operations at random, in parallel, while workers and the API are killed; then lets everything come to its end, and
 * tells what is wrong with the money. The seed decides what is done, and chance in which order it happens.
 */
export async function disturbMoney(t: ExecutionContext, plan: Plan) {
  const stage = await openStage(t, { env: { DATABASE_POOL: '10' } })
  reconcile(t, stage.platform)
  const programs = { api: await stage.startApi(), worker: await stage.startWorker() }
  const boss = await adminOf({ url: programs.api.url, services: stage.platform.services })
  const payers = await Promise.all(Array.from({ length: plan.payers }, () => makePayer(programs.api.url)))
  const random = chance(plan.seed)
  const tally: Tally = new Map()
  const problems: string[] = []
  let left = plan.operations
  const fibers = Array.from({ length: plan.parallel }, async () => {
    while (left > 0) {
      left -= 1
      await operate(draw(random), { payer: random.of(payers as [Payer]), random, boss, tally, problems })
      plan.onDone?.()
    }
  })
  const kills = plan.kills > 0 ? killAtRandom(t, stage, programs, plan, random, () => left) : Promise.resolve(0)
  await Promise.all(fibers)
  const killed = await kills
  await comeToRest(stage, payers, boss)
  problems.push(...(await contradictionsIn(stage.platform.services.database)))
  for (const payer of payers) problems.push(...(await problemsOfStatements(payer)))
  return { problems, tally, killed }
}

interface Doing {
  payer: Payer
  random: Chance
  boss: Person
  tally: Tally
  problems: string[]
}

const count = (tally: Tally, what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1)

/** An answer may be lost, while a process is killed; no other failure may come of it. */
async function operate(name: OperationName, { payer, random, boss, tally, problems }: Doing): Promise<void> {
  try {
    for (const answer of await operations[name](payer, random, boss)) {
      const outcome = answer.status < 400 ? 'done' : answer.failure.code
      count(tally, `${name} ${outcome}`)
      if (outcome === 'INTERNAL_ERROR') problems.push(`${name} was answered with INTERNAL_ERROR`)
    }
  } catch {
    count(tally, `${name} lost`)
    await eventually(60, 'the API is back', () =>
      fetch(`${boss.url}/healthz`).then(
        () => true,
        () => undefined,
      ),
    )
  }
}

type Programs = { api: PlatformProcess; worker: PlatformProcess }

/** Kills one of the processes after every so many operations, and starts another in its place. */
async function killAtRandom(
  t: ExecutionContext,
  stage: Stage,
  programs: Programs,
  { operations: all, kills }: Plan,
  random: Chance,
  left: () => number,
): Promise<number> {
  let done = 0
  for (let at = 1; at <= kills; at += 1) {
    const until = all - (all / (kills + 1)) * at
    while (left() > until) await delay(50)
    const name = random.of(['api', 'worker'] as const)
    await programs[name].kill()
    programs[name] = name === 'api' ? await stage.startApi() : await stage.startWorker()
    done += 1
    t.log(`${all - left()} operations: killed the ${name}`)
  }
  return done
}

/** Lifts all caps, gives credits and a good card, and waits until nothing is under way any more. */
async function comeToRest({ platform }: Stage, payers: Payer[], boss: Person): Promise<void> {
  const { database } = platform.services
  const none = { creditsPerMonth: null }
  for (const { someone, userId, workspaceId, manual, webhook } of payers) {
    await call(someone, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_visa' } }).then(({ body }) => body)
    await call(someone, billing.subscribe, { body: { tier: 'enterprise', when: 'now' } }).then(({ body }) => body)
    await call(boss, adminCredits.giveCredits, { params: { userId }, body: { credits: 1_000_000, note: 'Rest.' } })
    await call(someone, billing.updateBilling, { body: none })
    await call(someone, workspaces.updateWorkspace, { params: { workspaceId }, body: none })
    for (const { id: agentId } of [...manual, ...webhook]) {
      await call(someone, agents.updateAgent, { params: { agentId }, body: none })
    }
  }
  const open = `
    select (select count(*)::int from runs where ended_at is null) as runs,
           (select count(*)::int from chat_answers where ended_at is null) as answers,
           (select count(*)::int from payments where status = 'pending') as payments,
           (select count(*)::int from billing_requests) as requests`
  let seen: object = {}
  await eventually(900, 'nothing is under way any more', async () => {
    const { rows } = await database.raw<{ rows: Record<string, number>[] }>(open)
    seen = rows[0] ?? {}
    return Object.values(seen).every((number) => number === 0) || undefined
  }).catch((error: unknown) => {
    throw new Error(`${(error as Error).message} ${JSON.stringify(seen)}`, { cause: error })
  })
}
