/** A request as the grammar reads it: one width, one case, one script; `at[i]` is where character i stood in what was typed. */
export type Normal = { readonly text: string; readonly at: readonly number[]; readonly source: string };

// Characters of everyday plant requests whose traditional form differs; anything rarer is simply not understood.
const traditional =
  '讀读寫写從从個个電电爐炉鍋锅溫温設设壓压機机頻频啟启動动關关閉闭點点號号線线圖图趨趋勢势變变離离輸输儲储連连執执無无錯错誤误異异碼码協协議议傳传標标簽签過过總总開开進进閥阀給给間间時时來来會会們们這这裡里裏里請请問问幫帮麼么麽么嗎吗記记錄录報报警警掃扫埠口撤撤銷销復复後后現现當当週周禮礼個个夜夜晝昼兩两萬万億亿幾几為为將将對对並并與与還还讓让說说應应該该準准確确認认斷断續续總总數数據据值值單单雙双內内備备處处理理類类題题發发節节約约測测試试級级項项組组網网絡络絕绝拒拒絕绝畫画產产運运轉转風风塔塔卻却冷冷氣气閘闸統统計计別别邊边條条歷历史史載载樣样壞坏導导隻只灣湾熱热補补償偿燈灯燒烧葉叶滿满滅灭決决極极檢检查查驗验證证聯联鎖锁護护優优訊讯號号鐘钟鍵键長长門门陣阵降降隨随難难靜静頭头願愿願愿館馆體体鬆松鹼碱齊齐';

const simplified = new Map<string, string>();
for (let i = 0; i + 1 < traditional.length; i += 2) simplified.set(traditional[i]!, traditional[i + 1]!);

// Kept apart from their ASCII cousins: a full-width comma separates and is never a decimal or thousands mark.
const kept: Readonly<Record<string, string>> = {
  '，': '，',
  '、': '、',
  '。': '。',
  '～': '~',
  '〜': '~',
  '—': '-',
  '–': '-',
  '−': '-',
  '―': '-',
  '‐': '-',
  '‑': '-',
  '“': '"',
  '”': '"',
  '「': '"',
  '」': '"',
  '『': '"',
  '』': '"',
  '‘': "'",
  '’': "'",
  '′': "'",
  '《': '"',
  '》': '"',
  '…': '。',
  '⇒': '>',
  '→': '>',
  '×': 'x',
  '·': '.',
};

const han = /[\u3400-\u9fff\uf900-\ufaff〇]/;
const hanNumeral = /[0-9零〇一二三四五六七八九十百千万两]/;
// Control characters, soft hyphen, zero-width and direction marks, variation selectors.
const ignorable = /\p{Cc}|\p{Cf}|\p{Variation_Selector}/u;

export const isHan = (char: string | undefined): boolean => char !== undefined && han.test(char);

export function normalise(source: string): Normal {
  const chars: string[] = [];
  const at: number[] = [];
  let index = 0;
  for (const char of source) {
    const plain = kept[char] ?? (ignorable.test(char) && !/\s/.test(char) ? '' : char.normalize('NFKC').toLowerCase());
    for (const unit of plain) {
      chars.push(/\s/.test(unit) ? ' ' : (simplified.get(unit) ?? unit));
      at.push(index);
    }
    index += char.length;
  }
  return dropInnerSpaces(chars, at, source);
}

/** Chinese needs no spaces, so one beside a Chinese character says nothing; between two numbers it keeps them apart. */
function dropInnerSpaces(chars: readonly string[], at: readonly number[], source: string): Normal {
  let text = '';
  const kept: number[] = [];
  for (let i = 0; i < chars.length; i++) {
    if (chars[i] === ' ') {
      let next = i;
      while (chars[next] === ' ') next++;
      const before = text[text.length - 1];
      const after = chars[next];
      const numbers = before !== undefined && after !== undefined && hanNumeral.test(before) && hanNumeral.test(after);
      const needless = before === undefined || after === undefined || ((isHan(before) || isHan(after)) && !numbers);
      if (!needless) {
        text += ' ';
        kept.push(at[i]!);
      }
      i = next - 1;
      continue;
    }
    text += chars[i]!;
    for (let k = 0; k < chars[i]!.length; k++) kept.push(at[i]!);
  }
  return { text, at: kept, source };
}

/** What was typed for a stretch of the normal text, trimmed. */
export function asTyped(normal: Normal, start: number, end: number): string {
  if (end <= start) return '';
  const from = normal.at[start] ?? 0;
  const lastAt = normal.at[end - 1] ?? from;
  const nextAt = normal.at[end] ?? normal.source.length;
  const to = nextAt > lastAt ? nextAt : lastAt + 1;
  return normal.source.slice(from, to).trim();
}
