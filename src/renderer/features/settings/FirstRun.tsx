import { useState } from 'react';
import type { SettingsPatch } from '../../../shared/contracts/settings.ts';
import { asHandrailError, type HandrailError } from '../../../shared/errors.ts';
import { changeSettings, useSettings } from '../../client/settings.ts';
import { ErrorText } from '../../ui/ErrorText.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { useWords } from '../../words/words.ts';
import { ModelRows } from './ModelRows.tsx';
import { PlantChoice } from './PlantChoice.tsx';
import { TextSetting } from './TextSetting.tsx';

/**
 * What one may want to say once, at the place where one will work: it stands in the empty conversation, everything else is
 * live beside it, and a first question goes by it. Each choice is the setting itself; leaving it changes nothing.
 */
export function FirstRun() {
  const { say } = useWords();
  const { settings, loaded } = useSettings();
  const [error, setError] = useState<HandrailError | null>(null);
  if (!loaded || settings.welcomed) return null;
  const change = (patch: SettingsPatch): void => {
    setError(null);
    changeSettings(patch).catch((failure: unknown) => setError(asHandrailError(failure)));
  };
  return (
    <section className="first-run" aria-label={say('first')}>
      <h2>{say('first')}</h2>
      <p className="sec">{say('first.explain')}</p>
      {error && <ErrorText error={error} />}
      <div className="first-part">
        <h3>{say('first.language')}</h3>
        <Segments
          label={say('set.lang')}
          value={settings.lang}
          onChange={(lang) => change({ lang })}
          options={[
            { value: 'zh', label: say('choice.lang.zh') },
            { value: 'en', label: say('choice.lang.en') },
          ]}
        />
      </div>
      <div className="first-part">
        <h3>{say('set.operator')}</h3>
        <TextSetting label={say('set.operator')} value={settings.operator} onSave={(operator) => change({ operator })} />
        <p className="sec">{say('set.operator.explain')}</p>
      </div>
      <div className="first-part">
        <h3>{say('set.plant')}</h3>
        <PlantChoice />
      </div>
      <div className="first-part">
        <h3>{say('first.model')}</h3>
        <ModelRows settings={settings} onChange={change} />
      </div>
      <div className="sheet-adds">
        <button type="button" className="btn primary" onClick={() => change({ welcomed: true })}>
          {say('first.done')}
        </button>
        <span className="sec">{say('first.later')}</span>
      </div>
    </section>
  );
}
