import type { ReactNode } from 'react'
import type { Api } from '../../api/client.ts'
import { useNow } from '../../parts/clock.ts'
import { shownText } from '../../parts/shown-text.ts'
import { When } from '../../parts/When.tsx'
import { nextRefreshInWords } from './refresh-words.ts'
import styles from './Site.module.css'

const logins: Record<Api['AuthType'], string> = {
  none: 'none needed',
  bearer: 'a token of the site',
  oauth2: 'signed in at the site (OAuth)',
}

/** What is known of the connection. */
export const SiteFacts = ({ entry }: { entry: Api['VaultEntry'] }) => {
  const isOAuth = entry.authType === 'oauth2'
  return (
    <dl className={styles.facts}>
      <Fact name="Login">{logins[entry.authType]}</Fact>
      <Fact name={isOAuth ? 'Renewed' : 'Stored'}>
        <When at={entry.renewedAt} />
      </Fact>
      {entry.refreshAfter !== null && <NextRefresh refreshAfter={entry.refreshAfter} />}
      {entry.endsAt !== null && (
        <Fact name="Ends">
          <When at={entry.endsAt} />
        </Fact>
      )}
      <Fact name="First accepted by the site">
        {entry.acceptedAt === null ? 'not tried yet' : <When at={entry.acceptedAt} />}
      </Fact>
      <Fact name="Last used">{entry.lastUsedAt === null ? 'never' : <When at={entry.lastUsedAt} />}</Fact>
      {entry.scopes !== null && <Fact name="Granted">{entry.scopes.join(', ') || 'nothing'}</Fact>}
      <Fact name="Takes its calls at">
        <span className="stranger">{entry.serverUrl}</span>
      </Fact>
      <Fact name="Version of its manifest">
        <span className="stranger">{shownText(entry.version)}</span>
      </Fact>
      {entry.leftOut.length > 0 && (
        <Fact name="Tools that cannot be used">
          {entry.leftOut.map(({ name, problem }) => (
            <div key={name} className="stranger">
              <code>{shownText(name)}</code> {shownText(problem)}
            </div>
          ))}
        </Fact>
      )}
    </dl>
  )
}

const NextRefresh = ({ refreshAfter }: { refreshAfter: string }) => {
  const words = nextRefreshInWords(refreshAfter, useNow())
  return (
    <Fact name="Next refresh">
      {words === 'at the next use' ? (
        words
      ) : (
        <>
          {words} <When at={refreshAfter} />
        </>
      )}
    </Fact>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
