import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { to } from '../../../addresses.ts'
import type { Api } from '../../../api/client.ts'
import { Button } from '../../../design/Button.tsx'
import { Field } from '../../../design/Field.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { countInWords } from '../../../parts/format.ts'
import { shownText } from '../../../parts/shown-text.ts'
import { Skeleton } from '../../../parts/Skeleton.tsx'
import type { Owner } from '../../../session/workspace.ts'
import styles from './Catalogue.module.css'
import { factsOf } from './catalogue-words.ts'
import { useCatalogue } from './useCatalogue.ts'

/** The sites that the operator suggests. A click inspects one, as if its address were typed. */
export const Catalogue = ({ owner }: { owner: Owner }) => {
  const [search, setSearch] = useState('')
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useCatalogue(owner, search.trim())
  if (error && !data) return <ErrorBox error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={3} height={72} />
  const entries = data.pages.flatMap(({ items }) => items)
  if (entries.length === 0 && search.trim() === '') return null
  return (
    <section className={styles.catalogue} aria-labelledby="suggested">
      <h2 id="suggested">Suggested sites</h2>
      <Field label="Search suggested sites" type="search" maxLength={200} value={search} onChange={setSearch} />
      <p role="status" className={styles.quiet}>
        {entries.length > 0
          ? `${countInWords(entries.length, 'site')}${hasNextPage ? ' and more' : ''}`
          : 'No suggested site has all of these words.'}
      </p>
      <ul className={styles.list}>
        {entries.map((entry) => (
          <Row key={entry.id} entry={entry} owner={owner.address} />
        ))}
      </ul>
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          Show more sites
        </Button>
      )}
    </section>
  )
}

const Row = ({ entry, owner }: { entry: Api['CatalogueEntry']; owner: string }) => {
  const { name, address, notes, vaultEntryId } = entry
  return (
    <li className={styles.row}>
      <div className={styles.text}>
        <h3 className="stranger">{shownText(name)}</h3>
        <p className={`stranger ${styles.quiet}`}>{address}</p>
        {notes !== '' && <p className="stranger">{shownText(notes)}</p>}
        <p className={`stranger ${styles.quiet}`}>{shownText(factsOf(entry))}</p>
      </div>
      {vaultEntryId === null ? (
        <Link {...to.connect(owner, { url: address })} aria-label={`Inspect ${shownText(name)}`}>
          Inspect
        </Link>
      ) : (
        <p className={styles.connected}>
          Connected.{' '}
          <Link {...to.site(owner, vaultEntryId)} aria-label={`Open ${shownText(name)}`}>
            Open
          </Link>
        </p>
      )}
    </li>
  )
}
