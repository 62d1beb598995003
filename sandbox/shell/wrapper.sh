# Takes one program from descriptor 3, runs it in a shell of its own, then hands over what it left in the workspace.
# Lines on descriptor 3: "mark M", then any "file SIZE NAME" each followed by its bytes, then "code SIZE" and its bytes.
ulimit -c 0
ulimit -n 128
ulimit -v 262144
ulimit -t 40
ulimit -p 32
trap : TERM INT HUP
printf '\n {"kind":"ready"}\n' >&4
mark=
while read -r word size name <&3; do
  case $word in
    mark) mark=$size ;;
    file) head -c "$size" <&3 >"$name" ;;
    code) break ;;
  esac
done
ulimit -f 1024
code=$(head -c "$size" <&3 && printf x)
code=${code%x}
printf '\n%s {"kind":"started"}\n' "$mark" >&4
sh -c "$code" sh 3<&- 4>&-
status=$?
kill -9 -1 2>/dev/null
printf '\n%s {"kind":"files","exit":%d}\n' "$mark" "$status" >&4
find . -type f -printf '%s %P\0' >&4 2>/dev/null
printf '\0' >&4
find . -type f -exec cat {} + >&4 2>/dev/null
read -r word <&3
