import { ask } from '../../client/asking.ts';
import { usePlant } from '../../client/plant.ts';
import { useWords } from '../../words/words.ts';

/** Real questions of this plant, to press; and what can be asked without any model. */
export function EmptyChat() {
  const { say, both } = useWords();
  const plant = usePlant((state) => state.plant);
  if (!plant) return null;
  const measured = plant.tags.find((tag) => /temp/i.test(tag.id) && !tag.write.allowed) ?? plant.tags[0];
  const level = plant.tags.find((tag) => /level|flow|press/i.test(tag.id) && !tag.write.allowed) ?? plant.tags[1];
  const questions = [
    measured && say('empty.what', { tag: both(measured.name) }),
    level && say('empty.trend', { tag: both(level.name) }),
    say('empty.writable'),
  ].filter((question) => typeof question === 'string');
  return (
    <div className="empty-chat">
      <p className="sec">{say('model.none')}</p>
      <ul>
        {questions.map((question) => (
          <li key={question}>
            <button type="button" className="btn question" onClick={() => void ask(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
