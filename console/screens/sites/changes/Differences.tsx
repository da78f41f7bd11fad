import type { Api } from '../../../api/client.ts'
import { shownText } from '../../../parts/shown-text.ts'
import { Badge } from '../../../parts/Status.tsx'
import styles from './Changes.module.css'
import { byTool, classWords, placeIn, type Group } from './differences.ts'

interface DifferencesProps {
  differences: readonly Api['ManifestDifference'][]
  /** The tools that are in use. */
  names: readonly string[]
}

/** What changed, tool by tool, with what was before and what would be after. */
export const Differences = ({ differences, names }: DifferencesProps) => (
  <div className={styles.groups}>
    {byTool(differences, names).map((group) => (
      <ToolDifferences key={group.tool ?? ''} group={group} />
    ))}
  </div>
)

const ToolDifferences = ({ group: { tool, class: gravest, differences } }: { group: Group }) => (
  <section className={styles.group}>
    <header className={styles.head}>
      <h3 className="stranger">{tool === undefined ? 'The site itself' : <code>{shownText(tool)}</code>}</h3>
      <Badge tone={classWords[gravest].tone}>{classWords[gravest].word}</Badge>
    </header>
    <ul className={styles.differences}>
      {differences.map((difference, at) => (
        // A place may have several differences.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={at}>
          <OneDifference difference={difference} place={placeIn(difference, tool)} among={gravest} />
        </li>
      ))}
    </ul>
  </section>
)

interface OneDifferenceProps {
  difference: Api['ManifestDifference']
  place: string
  /** The class that is told for all of them. */
  among: Group['class']
}

const OneDifference = ({ difference, place, among }: OneDifferenceProps) => {
  const { message, before, after, class: found } = difference
  return (
    <div className={styles.difference}>
      <p className="stranger">
        {place !== '' && <code className={styles.place}>{shownText(place)}</code>} {shownText(message)}{' '}
        {found !== among && <span className={styles.quiet}>{classWords[found].word}</span>}
      </p>
      {(before !== undefined || after !== undefined) && (
        <div className={styles.pair}>
          <Side name="Before" text={before} />
          <Side name="After" text={after} />
        </div>
      )}
    </div>
  )
}

const Side = ({ name, text }: { name: string; text: string | undefined }) => (
  <div className={styles.side}>
    <span className={styles.quiet}>{name}</span>
    {text === undefined ? (
      <span className={styles.nothing}>nothing</span>
    ) : (
      <pre tabIndex={0} className={`stranger ${styles.value}`}>
        {shownText(text)}
      </pre>
    )}
  </div>
)
