import MiniSearch, { type SearchResult } from 'minisearch'
import type { Findable } from './findable.ts'
import { inOurWords } from './synonyms.ts'
import { termOf, tokensIn } from './terms.ts'

export interface Found extends Findable {
  /** The terms of the query that the text contains. */
  terms: ReadonlySet<string>
}

export type Search = (query: string) => Promise<Found[]>

export const maxResults = 20

/** The most sections of one page in the results. */
const maxOfPage = 3

/** How many items are indexed before other requests get a turn. */
const batch = 5

const fields = ['title', 'where', 'about', 'text', 'code'] as const

/**
 * A search over `things`, which the first query indexes in small batches. minisearch is small, has no dependencies,
 * ranks by BM25, and matches prefixes and misspelled words.
 */
export function createSearch(things: () => AsyncIterable<Findable[]>): Search {
  let made: ReturnType<typeof build> | undefined
  return async (asked) => {
    const query = inOurWords(asked)
    // If indexing failed, the next query tries again.
    made ??= build(things()).catch((error: unknown) => {
      made = undefined
      throw error
    })
    const { index, all } = await made
    const words = {
      boost: { title: 4, about: 3, where: 1.5, code: 0.3 },
      prefix: isLong,
      fuzzy: misspelled,
      weights: { prefix: 0.4, fuzzy: 0.2 },
    }
    const strict = index.search(query, { ...words, combineWith: 'AND' })
    const results = strict.length > 0 ? strict : index.search(query, words)
    return listed(results, all, termsOf(query))
  }
}

async function build(things: AsyncIterable<Findable[]>) {
  const index = new MiniSearch<Findable & { id: number }>({
    fields: [...fields],
    tokenize: tokensIn,
    processTerm: (word) => termOf(word) ?? null,
  })
  const all: Findable[] = []
  for await (const some of things) {
    await index.addAllAsync(
      some.map((one, place) => ({ ...one, id: all.length + place })),
      { chunkSize: batch },
    )
    all.push(...some)
  }
  return { index, all }
}

const isLong = (term: string): boolean => term.length > 2
const misspelled = (term: string): number | boolean => (term.length > 5 ? 0.2 : false)

const termsOf = (text: string): string[] => tokensIn(text).flatMap((word) => termOf(word) ?? [])

function listed(results: SearchResult[], all: readonly Findable[], asked: readonly string[]): Found[] {
  const wanted = asked.join(' ')
  const ranked = results
    .flatMap(({ id, score, match }) => {
      const thing = all[id as number]
      if (!thing) return []
      // A title that equals the query is the best result.
      const isIt = termsOf(thing.title).join(' ') === wanted
      return [{ ...thing, terms: new Set(Object.keys(match)), score: score * thing.weight * (isIt ? 2.5 : 1) }]
    })
    .toSorted((one, other) => other.score - one.score)
  return withoutCrowds(ranked).slice(0, maxResults)
}

/** A page with many sections must not hide other pages. */
function withoutCrowds(found: Found[]): Found[] {
  const counts = new Map<string, number>()
  return found.filter(({ href }) => {
    const page = href.startsWith('/docs/api') ? href : (href.split('#', 1)[0] ?? '')
    const count = (counts.get(page) ?? 0) + 1
    counts.set(page, count)
    return count <= maxOfPage
  })
}
