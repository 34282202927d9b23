"""Four rows, drawn with PySide6."""

from PySide6.QtWidgets import QApplication, QTableWidget, QTableWidgetItem

app = QApplication([])
table = QTableWidget(4, 1)
for row in range(4):
    table.setItem(row, 0, QTableWidgetItem("WDC WD80EFZX"))
table.showMaximized()
app.exec()
