import * as v from 'valibot'
import { isCoded } from '../../src/errors.ts'
import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'
import type { AnyRoute } from '../route/route.ts'

/** The caller of an export and the owner it reads. The caller has only the scope `read`, so it sees no secrets. */
export interface Asking {
  services: Services
  caller: Caller
  ownerId: string
}

const limit = 20

/**
 * The response of a route as its declaration presents it, without undeclared members. `more` has the other arguments of
 * the handler.
 */
export async function read(route: AnyRoute, asking: Asking, more: object = {}): Promise<object> {
  const answer: unknown = await route.handle?.({ params: {}, query: {}, ...asking, ...more } as never)
  return v.parse(route.response as v.GenericSchema, answer) as object
}

/** Yields the result, or nothing if the thing was deleted after it was listed. */
export async function* readIfExists<T extends object>(work: () => Promise<T>): AsyncGenerator<T> {
  try {
    yield await work()
  } catch (error) {
    if (!goneCodes.some((code) => isCoded(error, code))) throw error
  }
}

const goneCodes = ['NOT_FOUND', 'AGENT_NOT_FOUND', 'RUN_NOT_FOUND', 'SESSION_NOT_FOUND'] as const

interface ReadPage {
  items: object[]
  nextCursor?: string | null
}

/** Every item of a list, page after page. */
export async function* all(route: AnyRoute, asking: Asking, more: object = {}): AsyncGenerator<object> {
  for (let cursor: string | undefined | null; cursor !== null;) {
    const query = { limit, cursor }
    const { items, nextCursor = null } = (await read(route, asking, { ...more, query })) as ReadPage
    yield* items
    cursor = nextCursor
  }
}

/** Every item of a list that is paged by the number of the last item. */
export async function* allByNumber(
  route: AnyRoute,
  asking: Asking,
  more: object,
  query: object,
): AsyncGenerator<object> {
  for (let after = 0, isMore = true; isMore;) {
    const page = (await read(route, asking, { ...more, query: { ...query, after } })) as NumberedPage
    yield* page.items
    isMore = page.more && page.items.length > 0
    after = page.items.at(-1)?.number ?? after
  }
}

interface NumberedPage {
  items: { number: number }[]
  more: boolean
}
