import type { ExecutionContext, TestFn } from 'ava'
import { eventually } from '../../helpers/eventually.ts'
import { connectBadTools, customer, person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { sharedModels } from '../../models/shared-models.ts'
import { theKey } from '../../models/stage.ts'
import type { Talker } from '../../models/talker.ts'
import { openSession } from '../stage.ts'
import { lastWords, type Page } from './page.ts'

/**
 * The platform that tests with models share, and sessions in it: with the demo model, with models whose words the tests
 * say (`talking`), and with `observant`.
 */
export function sharedWorld(test: TestFn) {
  const models = sharedModels(test)
  return async () => {
    const stage = await models()
    const { platform, sites, modelsFile } = stage
    const sessionOf = async (body: object = {}) => openSession(await person(platform), body)

    /** A session that may use the misbehaving tools, and its owner. */
    async function toolSession(choice: { tools: string[]; askFirst?: string[] }, body: object = {}) {
      const owner = await customer(platform)
      const vaultEntryId = await connectBadTools(owner, sites)
      return { owner, session: await openSession(owner, { sites: [{ vaultEntryId, ...choice }], ...body }) }
    }

    /** Another API with the same database and models. */
    const another = (t: ExecutionContext, more: Record<string, string> = {}) => {
      const same = { DATABASE_URL: platform.config.database.url, BASE_URL: platform.url }
      return startPlatform(t, { sites, env: { MODELS_FILE: modelsFile, THE_KEY: theKey, ...same, ...more } })
    }
    return { ...stage, sessionOf, toolSession, another }
  }
}

/** Sends a message from a page, and waits until the page shows the first words, which the test says. */
export async function sendAndHear(talker: Talker, page: Page, { model, text, number }: Heard) {
  const sent = page.chat.sendMessage({ text: 'Tell me.' })
  const speaking = await talker.call(model, number ?? 1)
  speaking.say(text)
  await shows(page, text)
  return { sent, speaking }
}

interface Heard {
  model: string
  text: string
  /** Of the model's call, from 1. */
  number?: number
}

/** Waits until the last answer on a page is this one. */
export const shows = (page: Page, text: string): Promise<true> =>
  eventually(20, `the page shows ${text}`, () => lastWords(page) === text || undefined)
