import { setTimeout as delay } from 'node:timers/promises'
import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { newId } from '../ids.ts'
import { loggingAlone, type Logger } from '../logger.ts'
import type { Models } from '../models/models.ts'
import { isOpen, Outage } from './outage.ts'
import { probe, probeSeconds, type Failing } from './probe.ts'

/** An outage that comes back within so many seconds has not ended. */
const sameOutageSeconds = 600

/** For so many seconds nobody else probes a model that is being probed. */
const claimSeconds = probeSeconds + 10

/** No provider is left unasked for longer, whatever it wants: what it says to one question holds up everybody. */
const longestPauseSeconds = 300

/** A process asks a model at most once in so many milliseconds: whoever sends prompts that are refused must not cost more. */
const betweenProbesMs = 5000

/** How long ended outages are kept, in seconds. */
const keptSeconds = 90 * 86_400

/**
 * Which models answer nobody (docs/design.md, "Outages of models"). A run whose model call has failed permanently asks
 * for an examination: the model is asked something trivial. If that fails, too, the model is out for everybody, and from
 * then on one process at a time asks it, until it answers.
 */
export function createOutages(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'models'>
  logger: Logger
  models: Pick<Models, 'step' | 'hiding'>
}) {
  const { database, clock, config, logger, models } = context
  /** The models that are out, as of the last look: in an outage the record is asked, and otherwise nothing is. */
  let known = new Set<string>()
  /** Those noted since the last look began, which may have missed them. */
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

  /** Notes that the model has failed everybody; an outage of a moment ago continues. */
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
      logger.warn({ model, provider: providerOf(model), cause: failing.message }, 'an AI model is out')
    }
  }

  /** Ends the model's outage, and makes the agents due whose runs wait for a model. */
  async function noteAnswer(model: string): Promise<void> {
    const { rows } = await database.raw<{ rows: unknown[] }>(endStatement, { model, now: clock.now() })
    known.delete(model)
    newlyKnown.delete(model)
    if (rows.length > 0) logger.info({ model, provider: providerOf(model) }, 'an AI model answers again')
  }

  async function probeNow(model: string): Promise<boolean> {
    lastBegun.set(model, performance.now())
    const failing = await probe(models, model, stopping.signal)
    await (failing ? noteFailing(model, failing) : noteAnswer(model))
    return failing !== undefined
  }

  /** The next probe, which begins from now on. Very many runs may fail together, and all of them wait for the same one. */
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

  /** Nobody asks for a model any more that was taken out of the configuration, once no run waits for it. */
  const forgetUnused = async (): Promise<void> =>
    void (await database.raw(unusedStatement, {
      now: clock.now(),
      configured: config.models.models.map(({ name }) => name),
    }))

  /** The models whose turn it is to be asked. A process that starts asks all: its operator may have put them right. */
  async function takeDue(): Promise<string[]> {
    const now = clock.now()
    const dueBy = hasBegun ? now : later(now, longestPauseSeconds)
    const { rows } = await database.raw<{ rows: { model: string }[] }>(takeStatement, { now, dueBy, claimSeconds })
    hasBegun = true
    return rows.map(({ model }) => model)
  }

  /** The claim of a probe passes automatically. */
  function noteUnprobed(error: unknown): void {
    if (!stopping.signal.aborted) logger.warn({ err: error }, 'a model was not probed; it will be probed again')
  }

  return {
    /** The model's outage, as of the record; undefined if it answers, or if its outage has begun only now. */
    async of(trx: Transaction, model: string): Promise<Outage | undefined> {
      return known.has(model) ? openOne(trx, model) : undefined
    },

    /** Whether any model was out at the last look. */
    areKnown: (): boolean => known.size > 0,

    /** Whether the model answers nobody: the failure of a call may be about its prompt alone. */
    async isOut(model: string): Promise<boolean> {
      if (!(await openOne(database, model))) return probeSoon(model)
      learn(model)
      return true
    },

    /** A step of a run or a chat was answered: better than a probe. */
    async answered(model: string): Promise<void> {
      if (known.has(model)) await noteAnswer(model)
    },

    /** Learns of outages, and asks the models whose turn it is. */
    async round(): Promise<void> {
      newlyKnown = new Set()
      const open = await Outage.query(database).where(isOpen).select('model')
      known = new Set([...open.map(({ model }) => model), ...newlyKnown])
      if (known.size === 0 && hasBegun) return
      await forgetUnused()
      // A provider that hangs must not keep this process from learning of other outages.
      for (const model of await takeDue()) void probeSoon(model).catch(noteUnprobed)
    },

    purge: async (): Promise<void> =>
      void (await Outage.query(database).where('endedAt', '<', later(clock.now(), -keptSeconds)).delete()),

    /** Ends the probes that are in progress. */
    async close(): Promise<void> {
      stopping.abort()
      await Promise.allSettled(underWay)
    },
  }
}

export type Outages = ReturnType<typeof createOutages>

/**
 * The next probe comes after a quarter of the time that the outage has lasted, within 5 s and a minute, and not before
 * the provider wants it, within five minutes. One that comes back begins anew in this.
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

/** Every run that waits for a model is looked at: it may have a second one, and that may be the one that answers. */
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
