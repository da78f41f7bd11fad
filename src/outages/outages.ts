import { setTimeout as delay } from 'node:timers/promises'
import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { newId } from '../ids.ts'
import { loggingAlone, type Logger } from '../logger.ts'
import type { Models } from '../models/models.ts'
import { isOpen, Outage } from './outage.ts'
import { probe, probeSeconds, type Failing } from './probe.ts'

/** An outage that recurs within this many seconds counts as the same outage. */
const sameOutageSeconds = 600

/** A probe reserves its model for this many seconds. */
const claimSeconds = probeSeconds + 10

/** The longest pause between probes, whatever the provider requests: one long pause would hold up everyone. */
const longestPauseSeconds = 300

/**
 * The shortest time between two probes of a model by one process, in milliseconds. It bounds the cost of a user whose
 * prompts are refused repeatedly.
 */
const betweenProbesMs = 5000

/** How long ended outages are kept, in seconds. */
const keptSeconds = 90 * 86_400

/**
 * Which models are out (docs/understand/durability.md, "Outages of models"). A run whose model call fails permanently
 * requests a probe, which sends a trivial prompt. If the probe fails too, the model is out for everyone. One process at
 * a time then probes it until it answers.
 */
export function createOutages(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'models'>
  logger: Logger
  models: Pick<Models, 'step' | 'hiding'>
}) {
  const { database, clock, config, logger, models } = context
  /** The models that were out at the last round. The database is read only while some model is out. */
  let known = new Set<string>()
  /** Models recorded since the last round began, which may have missed them. */
  let newlyKnown = new Set<string>()
  const next = new Map<string, Promise<boolean>>()
  const lastBegun = new Map<string, number>()
  const underWay = new Set<Promise<boolean>>()
  const stopping = new AbortController()
  let hasBegun = false

  const providerOf = (model: string): string | null =>
    config.models.models.find(({ name }) => name === model)?.provider ?? null

  const openOne = (db: Database | Transaction, model: string) => Outage.query(db).findOne({ model, ...isOpen })

  function learn(model: string): void {
    known.add(model)
    newlyKnown.add(model)
  }

  /** Records that the model fails for everyone. A very recent outage continues. */
  async function noteFailing(model: string, failing: Failing): Promise<void> {
    const now = clock.now()
    const since = later(now, -sameOutageSeconds)
    const noted = await database.raw<{ rows: { id: string; began: boolean }[] }>(noteStatement, {
      id: newId(),
      model,
      provider: providerOf(model),
      now,
      since,
      pauseSeconds: Math.min(failing.retryAfter ?? 0, longestPauseSeconds),
      message: failing.message,
      said: failing.providerSaid,
    })
    learn(model)
    if (noted.rows[0]?.began) {
      logger.warn({ model, provider: providerOf(model), cause: failing.message }, 'AI model unavailable')
    }
  }

  /** Ends the model's outage, and wakes the agents whose runs wait for a model. */
  async function noteAnswer(model: string): Promise<void> {
    const { rows } = await database.raw<{ rows: unknown[] }>(endStatement, { model, now: clock.now() })
    known.delete(model)
    newlyKnown.delete(model)
    if (rows.length > 0) logger.info({ model, provider: providerOf(model) }, 'AI model available again')
  }

  async function probeNow(model: string): Promise<boolean> {
    lastBegun.set(model, performance.now())
    const failing = await probe(models, model, stopping.signal)
    await (failing ? noteFailing(model, failing) : noteAnswer(model))
    return failing !== undefined
  }

  /** The next probe, starting now. Many runs may fail at the same time; all of them wait for the same probe. */
  function probeSoon(model: string): Promise<boolean> {
    const waiting = next.get(model)
    if (waiting) return waiting
    const probing = loggingAlone(() => beginProbe(model)).finally(() => underWay.delete(probing))
    next.set(model, probing)
    underWay.add(probing)
    return probing
  }

  async function beginProbe(model: string): Promise<boolean> {
    const ms = (lastBegun.get(model) ?? -Infinity) + betweenProbesMs - performance.now()
    await delay(Math.max(0, ms), undefined, { signal: stopping.signal }).finally(() => next.delete(model))
    return probeNow(model)
  }

  /** Removes outages of models that are no longer configured and that no run waits for. */
  const forgetUnused = async (): Promise<void> =>
    void (await database.raw(unusedStatement, {
      now: clock.now(),
      configured: config.models.models.map(({ name }) => name),
    }))

  /** The models to probe now. A new process probes all, because its operator may have fixed them. */
  async function takeDue(): Promise<string[]> {
    const now = clock.now()
    const dueBy = hasBegun ? now : later(now, longestPauseSeconds)
    const { rows } = await database.raw<{ rows: { model: string }[] }>(takeStatement, { now, dueBy, claimSeconds })
    hasBegun = true
    return rows.map(({ model }) => model)
  }

  /** The claim of the probe expires automatically. */
  function noteUnprobed(error: unknown): void {
    if (!stopping.signal.aborted) logger.warn({ err: error }, 'failed to probe a model; will retry')
  }

  return {
    /** The model's recorded outage; undefined if it answers, or if its outage has only just begun. */
    async of(trx: Database | Transaction, model: string): Promise<Outage | undefined> {
      return known.has(model) ? openOne(trx, model) : undefined
    },

    /** Whether any model was out at the last round. */
    areKnown: (): boolean => known.size > 0,

    /** Whether the model answers nobody. A failed call alone may be about its prompt. */
    async isOut(model: string): Promise<boolean> {
      if (!(await openOne(database, model))) return probeSoon(model)
      learn(model)
      return true
    },

    /** The model answered a step of a run or a chat, which is better evidence than a probe. */
    async answered(model: string): Promise<void> {
      if (known.has(model)) await noteAnswer(model)
    },

    /** Reads outages, and probes the models that are due. */
    async round(): Promise<void> {
      newlyKnown = new Set()
      const open = await Outage.query(database).where(isOpen).select('model')
      known = new Set([...open.map(({ model }) => model), ...newlyKnown])
      if (known.size === 0 && hasBegun) return
      await forgetUnused()
      // A slow provider must not keep this process from reading other outages.
      for (const model of await takeDue()) void probeSoon(model).catch(noteUnprobed)
    },

    purge: async (): Promise<void> =>
      void (await Outage.query(database).where('endedAt', '<', later(clock.now(), -keptSeconds)).delete()),

    /** Ends the probes in progress. */
    async close(): Promise<void> {
      stopping.abort()
      await Promise.allSettled(underWay)
    },
  }
}

export type Outages = ReturnType<typeof createOutages>

/**
 * The next probe comes after a quarter of the outage's length: at least 5 s, at most a minute. A longer Retry-After of
 * the provider applies, up to five minutes. A recurring outage starts over.
 */
const nextProbe = `:now::timestamptz + greatest(
  least(greatest((:now::timestamptz - began_at) / 4, interval '5 seconds'), interval '1 minute'),
  make_interval(secs => :pauseSeconds))`

const noteStatement = `
  with former as (
    select id, began_at from model_outages
     where model = :model and (ended_at is null or ended_at > :since) order by began_at desc limit 1
  ), continued as (
    update model_outages o
       set ended_at = null, last_failed_at = :now, message = :message, provider_said = :said, provider = :provider,
           next_probe_at = ${nextProbe.replaceAll('began_at', 'case when o.ended_at is null then o.began_at else :now::timestamptz end')}
      from former f where o.id = f.id returning o.id
  ), begun as (
    insert into model_outages (id, model, provider, began_at, last_failed_at, next_probe_at, message, provider_said)
      select :id, :model, :provider, :now::timestamptz, :now, ${nextProbe.replaceAll('began_at', ':now::timestamptz')}, :message, :said
       where not exists (select from former)
    on conflict (model) where ended_at is null do nothing returning id
  )
  select id, false as began from continued union all select id, true from begun`

/** Wakes all runs that wait for a model, because another model of such a run may be the one that answers. */
const endStatement = `
  with ended as (
    update model_outages set ended_at = :now where model = :model and ended_at is null returning id
  ), waiting as (
    insert into due_agents (agent_id, due_at)
      select q.agent_id, :now::timestamptz from agent_queues q join runs r on r.id = q.running_run_id
       where r.waiting_cause = 'model' and exists (select from ended)
  )
  select id from ended`

const unusedStatement = `
  update model_outages set ended_at = :now
   where ended_at is null and model <> all(:configured::text[])
     -- a run that has just found it waits only a moment later
     and began_at < :now::timestamptz - interval '5 minutes'
     and not exists (select from runs where status = 'waiting' and waiting_cause = 'model' and waiting_for = model)`

const takeStatement = `
  update model_outages set next_probe_at = :now::timestamptz + make_interval(secs => :claimSeconds)
   where id in (select id from model_outages where ended_at is null and next_probe_at <= :dueBy for update skip locked)
  returning model`
