import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { to } from '../../../addresses.ts'
import type { Api } from '../../../api/client.ts'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { countInWords } from '../../../parts/format.ts'
import { shownText } from '../../../parts/shown-text.ts'
import { Skeleton } from '../../../parts/Skeleton.tsx'
import { entryAtQuery } from '../../../parts/vault-entries.ts'
import type { Owner } from '../../../session/workspace.ts'
import { ToolChoice } from '../choice/ToolChoice.tsx'
import { ToolList } from '../ToolList.tsx'
import styles from './Connect.module.css'
import { inspectionQuery } from './inspect.ts'
import { LoginForm } from './LoginForm.tsx'
import type { LoginProps } from './TokenForm.tsx'
import { useCatalogueEntry } from './useCatalogue.ts'

/** What the site says that it can do, and the way to connect it. */
export const Inspection = ({ url, owner }: { url: string; owner: Owner }) => {
  const { data: site, error, isFetching, refetch } = useQuery(inspectionQuery(url))
  const [chosen, choose] = useState<readonly string[]>([])
  if (error && !isFetching) return <ErrorBox error={error} onRetry={() => void refetch()} />
  if (!site || isFetching) return <Skeleton lines={6} height={40} />
  return (
    <>
      <section className={styles.site} aria-label="What the site says about itself">
        <h2 className="stranger">{shownText(site.name)}</h2>
        <p className={`stranger ${styles.quiet}`}>
          {site.origin} · version {shownText(site.version)}
        </p>
        <p className="stranger">{shownText(site.description)}</p>
      </section>
      <Notes site={site} url={url} owner={owner} />
      <Warnings site={site} />
      {site.offered ? (
        <section className={styles.section}>
          <h2>Choose its tools</h2>
          <ToolChoice url={url} chosen={chosen} onChoose={choose} />
        </section>
      ) : (
        <section className={styles.section}>
          <h2>
            {countInWords(site.tools.length, 'tool')}
            <span className={styles.beside}> what each does, as the site declares it</span>
          </h2>
          <ToolList tools={site.tools} />
        </section>
      )}
      <HowToConnect site={site} url={url} owner={owner} chosen={site.offered ? chosen : undefined} />
    </>
  )
}

/** What the operator says about the site. */
const Notes = ({ site: { origin }, url, owner }: { site: Api['Site']; url: string; owner: Owner }) => {
  const notes = useCatalogueEntry(owner, { url, origin })?.notes
  if (notes === undefined || notes === '') return null
  return (
    <section className={styles.site} aria-label="What the operator of this installation says about it">
      <h3>From the catalogue</h3>
      <p className="stranger">{shownText(notes)}</p>
    </section>
  )
}

const Warnings = ({ site }: { site: Api['Site'] }) => {
  const unusable = site.leftOut.map(({ name, problem }) => ({ tool: name, message: `is left out: ${problem}` }))
  const warnings = [...unusable, ...site.warnings]
  if (warnings.length === 0) return null
  return (
    <section className={styles.warnings}>
      <h3>What models will see differently</h3>
      <ul>
        {warnings.map(({ tool, message }) => (
          <li key={`${tool} ${message}`} className="stranger">
            {tool !== null && <code>{shownText(tool)}</code>} {shownText(message)}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** An origin is connected once. */
const HowToConnect = (props: Omit<LoginProps, 'hosts'>) => {
  const { site, owner } = props
  const { data: entry } = useQuery(entryAtQuery(owner.query.workspaceId, site.origin))
  if (entry === undefined) return <Skeleton lines={3} height={36} />
  if (entry === null) return <LoginForm {...props} />
  return (
    <section className={styles.known}>
      <p>This site is connected already.</p>
      <Link {...to.site(owner.address, entry.id)}>Open its page</Link>
    </section>
  )
}
