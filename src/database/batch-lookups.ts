import DataLoader from 'dataloader'

/**
 * Batches nearly simultaneous look-ups by key into one query. Nothing is cached: an answer is never older than its
 * request.
 */
export function batchLookups<Key, Row>(
  load: (keys: Key[]) => Promise<Map<Key, Row>>,
): (key: Key) => Promise<Row | undefined> {
  const loader = new DataLoader<Key, Row | undefined>(
    async (keys) => {
      const found = await load([...new Set(keys)])
      return keys.map((key) => found.get(key))
    },
    { cache: false, maxBatchSize: 200, batchScheduleFn: (flush) => void setImmediate(flush) },
  )
  return (key) => loader.load(key)
}
